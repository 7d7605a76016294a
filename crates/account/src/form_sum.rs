//! What writing JSON in a form that a client asked for saved, in bytes.

/// The texts of an answer that were to be written in one form.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct FormSum {
    /// The form: `stc`, `toon`, `terse`.
    pub form: &'static str,
    /// Number of texts.
    pub texts: usize,
    /// Number of texts that were written in this form; the others stay JSON, because they are none, the form cannot
    /// hold them or it saves nothing.
    pub converted: usize,
    /// Bytes of the converted texts, as received and as sent.
    pub bytes: [u64; 2],
    /// How long this took, in microseconds.
    pub micros: u64,
}

impl FormSum {
    /// The sum of one text; `after` is its length if it was converted.
    #[must_use]
    pub fn of(form: &'static str, before: usize, after: Option<usize>) -> Self {
        let bytes = after.map_or([0, 0], |after| [before as u64, after as u64]);
        Self { form, texts: 1, converted: usize::from(after.is_some()), bytes, micros: 0 }
    }

    /// Adds another sum of the same form.
    pub fn add(&mut self, other: &Self) {
        self.texts += other.texts;
        self.converted += other.converted;
        for (sum, more) in self.bytes.iter_mut().zip(other.bytes) {
            *sum = sum.saturating_add(more);
        }
        self.micros = self.micros.saturating_add(other.micros);
    }
}

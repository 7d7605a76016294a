//! What will run.

mod loss;
mod method;
mod mode;
mod reader;
mod redaction;

pub use loss::Loss;
pub use method::DictionaryMethod;
pub use mode::Mode;
pub use reader::Reader;
pub use redaction::Redaction;

/// How one result is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// How far to go.
    pub mode: Mode,
    /// The most that may be lost.
    pub loss: Loss,
    /// Results of at most so many bytes are left as they came.
    pub min_bytes: usize,
    /// Results of more bytes are left as they came; none are if it is 0.
    pub skip_above: usize,
    /// The most bytes that may be sent of one result, where detail may be left out of it. File text, lines that tell of
    /// errors and all that may not lose detail are sent beyond it.
    pub max_bytes: usize,
    /// Where secrets are masked, which comes before and above the rest.
    pub redact: Redaction,
    /// How repeated phrases are found, where they are looked for.
    pub dictionary: DictionaryMethod,
    /// Who reads it, and so which forms may be used.
    pub reader: Reader,
}

impl Plan {
    /// What is done unless something else is said. Detail is left out only where the model can fetch it back: whoever
    /// makes a plan sees to that.
    pub const USUAL: Self = Self {
        mode: Mode::Standard,
        loss: Loss::Detail,
        min_bytes: 0,
        skip_above: 0,
        max_bytes: 65_536,
        redact: Redaction::Usual,
        dictionary: DictionaryMethod::Lzw,
        reader: Reader::Auto,
    };

    /// True when a result of so many bytes is not left as it came.
    #[must_use]
    pub fn takes(&self, bytes: usize) -> bool {
        bytes > self.min_bytes && (self.skip_above == 0 || bytes <= self.skip_above)
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self::USUAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_is_what_each_part_calls_usual() {
        let Plan { mode, loss, redact, dictionary, reader, .. } = Plan::USUAL;
        assert_eq!((mode, loss), Default::default());
        assert_eq!((redact, dictionary, reader), Default::default());
    }

    #[test]
    fn results_outside_the_limits_are_left() {
        let plan = Plan { min_bytes: 2, skip_above: 4, ..Plan::default() };
        let taken: Vec<usize> = (0..=5).filter(|bytes| plan.takes(*bytes)).collect();
        assert_eq!(taken, [3, 4]);
        assert!(Plan::default().takes(usize::MAX) && !Plan::default().takes(0));
    }
}

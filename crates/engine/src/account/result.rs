//! What is told of one result: numbers, words of ours, and the names of its call and its tool. No word of its text.

use tersely_proof::stable_hash;

use crate::account::tokens::ResultTally;

/// What is done to a text that looks like our own work, so that nobody takes it for that.
pub(crate) const ESCAPE: &str = "escape";

/// What became of one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultNote {
    /// A name that it keeps in later requests.
    pub name: u64,
    /// The call that it answers; empty when that has no name.
    pub call: Box<str>,
    /// The tool, by the name that the client gave it; empty when that is not known.
    pub tool: Box<str>,
    /// Which message of the body it stands in, from 0 on.
    pub message: usize,
    /// Which of the results of the body it is, from 0 on.
    pub at: usize,
    /// What kind of tool it is.
    pub kind: &'static str,
    /// What family of text it is.
    pub family: &'static str,
    /// What was allowed.
    pub mode: &'static str,
    /// What became of it.
    pub fate: ResultFate,
    /// True when something else is sent.
    pub is_changed: bool,
    /// True when a named session had another text, or other settings, under the same name before.
    pub is_renewed: bool,
    /// The stages that acted, in order, and what each saved.
    pub stages: Vec<(&'static str, i64)>,
    /// As it came.
    pub came: TextMeasure,
    /// As it is sent.
    pub sent: TextMeasure,
    /// Its tokens.
    pub tally: ResultTally,
    /// Secrets that were masked in it.
    pub redacted: usize,
    /// A hash of what the tool was asked for, secrets masked.
    pub arguments: Option<u64>,
    /// The tokens that it would have had, where it is sent as it came though something else was found.
    pub would: Option<usize>,
}

/// What became of a result, or why nothing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFate {
    /// Something shorter is sent.
    Shortened,
    /// So it is, by the word of a compressor that was kept.
    Kept,
    /// It has at most `min_bytes`.
    Small,
    /// It has more than `skip_above`.
    Large,
    /// The settings leave it alone.
    Skipped,
    /// It looks like our own work.
    Ours,
    /// We failed at it, could not read it, or had no time for its conversation.
    Failed,
    /// Nothing shorter was found to say.
    Same,
    /// Something else was found, and it is sent as it came: that is only told.
    Observed,
}

/// The size of a text, and a hash to know it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextMeasure {
    /// Its bytes.
    pub bytes: usize,
    /// Its characters.
    pub chars: usize,
    /// Its lines.
    pub lines: usize,
    /// Its hash.
    pub hash: u64,
}

impl ResultNote {
    /// What is told of it where all that was found is only told.
    pub(crate) fn unsent(&self) -> Self {
        if !self.is_changed {
            return self.clone();
        }
        Self {
            fate: ResultFate::Observed,
            is_changed: false,
            stages: Vec::new(),
            sent: self.came,
            tally: ResultTally { before: self.tally.before, after: self.tally.before },
            redacted: 0,
            would: Some(self.tally.after),
            ..self.clone()
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.call.len() + self.tool.len() + size_of_val(&*self.stages)
    }
}

impl TextMeasure {
    /// The measure of a text.
    pub(crate) fn of(text: &str) -> Self {
        let ends = text.bytes().filter(|byte| *byte == b'\n').count();
        let lines = ends + usize::from(!text.is_empty() && !text.ends_with('\n'));
        Self { bytes: text.len(), chars: text.chars().count(), lines, hash: stable_hash(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_measured() {
        let of = |text| {
            let TextMeasure { bytes, chars, lines, .. } = TextMeasure::of(text);
            (bytes, chars, lines)
        };
        assert_eq!(of(""), (0, 0, 0));
        assert_eq!(of("é\nb"), (4, 3, 2));
        assert_eq!(of("a\nb\n"), (4, 4, 2));
        assert_ne!(TextMeasure::of("a").hash, TextMeasure::of("b").hash);
    }
}

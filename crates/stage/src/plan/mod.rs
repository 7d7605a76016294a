//! The plan for one result: mode, loss, limits, masking and reader.

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
    /// The greatest loss allowed.
    pub loss: Loss,
    /// Results of at most this many bytes stay unchanged.
    pub min_bytes: usize,
    /// Results of more bytes stay unchanged; 0 means no limit.
    pub skip_above: usize,
    /// The most bytes sent of one result where detail may be omitted. File contents, lines with errors and results
    /// that may not lose detail are exempt.
    pub max_bytes: usize,
    /// Which texts are masked. Masking precedes everything else and does not depend on the mode.
    pub redact: Redaction,
    /// How repeated phrases are found, if the dictionary is on.
    pub dictionary: DictionaryMethod,
    /// The model that reads the result, which decides which forms may be used.
    pub reader: Reader,
}

impl Plan {
    /// The default plan. Detail is omitted only where the model can fetch it back: the builder of a plan ensures
    /// that.
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

    /// True when a result of `bytes` is within the limits.
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

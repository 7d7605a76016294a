//! Defines the plan for one result: mode, loss, limits, masking and reader.

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

/// How one result is processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// How far compression goes.
    pub mode: Mode,
    /// The greatest loss that is allowed.
    pub loss: Loss,
    /// Results of at most this many bytes stay unchanged.
    pub min_bytes: usize,
    /// Results of more bytes than this stay unchanged; 0 means no limit.
    pub skip_above: usize,
    /// The maximum number of bytes sent for one result, if detail may be omitted. File contents, lines with errors, and
    /// results that may not lose detail are exempt.
    pub max_bytes: usize,
    /// Which texts are searched for secrets and masked. Masking runs before everything else and does not depend on the
    /// mode.
    pub redact: Redaction,
    /// How repeated phrases are found, if the dictionary is enabled.
    pub dictionary: DictionaryMethod,
    /// The strength of the model that reads the result, which determines the forms that may be used.
    pub reader: Reader,
}

impl Plan {
    /// The default plan. Detail may be omitted only where the model can fetch it back; the code that builds a plan
    /// ensures this.
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

    /// True when a result of this many bytes is within the limits.
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

//! What will run.

mod loss;
mod method;
mod mode;
mod redaction;

pub use loss::Loss;
pub use method::DictionaryMethod;
pub use mode::Mode;
pub use redaction::Redaction;

/// The settings of a compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// How far to go.
    pub mode: Mode,
    /// The most that may be lost.
    pub loss: Loss,
    /// The most bytes that may be sent of one result, where detail may be left out of it. File text, lines that tell of
    /// errors and all that may not lose detail are sent beyond it.
    pub max_bytes: usize,
    /// Where secrets are masked, which comes before and above the rest.
    pub redact: Redaction,
    /// How repeated phrases are found, where they are looked for.
    pub dictionary: DictionaryMethod,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            loss: Loss::default(),
            max_bytes: 65_536,
            redact: Redaction::default(),
            dictionary: DictionaryMethod::default(),
        }
    }
}

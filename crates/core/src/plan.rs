//! What will run.

use crate::{Dictionary, Loss, Mode, Redaction};

/// The settings of a compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// How far to go.
    pub mode: Mode,
    /// The most that may be lost.
    pub loss: Loss,
    /// The most bytes that may be sent of one result.
    pub max_bytes: usize,
    /// Where secrets are masked, which comes before and above the rest.
    pub redact: Redaction,
    /// How repeated phrases are found, where they are looked for.
    pub dictionary: Dictionary,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            loss: Loss::default(),
            max_bytes: 65_536,
            redact: Redaction::default(),
            dictionary: Dictionary::default(),
        }
    }
}

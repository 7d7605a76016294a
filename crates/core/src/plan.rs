//! What will run.

use crate::stage::cap;
use crate::{Dictionary, Loss, Mode, Redaction};

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
    pub dictionary: Dictionary,
}

impl Plan {
    /// True when `sent` is longer than a result that was cut to its limit.
    #[must_use]
    pub fn is_exceeded_by(&self, sent: &str) -> bool {
        self.max_bytes > 0 && sent.len() > self.max_bytes.saturating_add(cap::SLACK)
    }
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

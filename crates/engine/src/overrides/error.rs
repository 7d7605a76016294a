//! Says what a request asks of us that makes no sense.

use std::fmt;

/// A request that should not go on: what it says to us is wrong, and guessing would hide that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionError {
    /// What is wrong and what would be right, for the client to read.
    pub message: String,
}

/// How much of what was wrong is repeated: enough to find it by.
const LONGEST: usize = 300;

impl OptionError {
    /// Refuses what stands at `place`.
    pub(crate) fn at(place: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self { message: format!("{place}: {why}").chars().take(LONGEST).collect() }
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OptionError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_short_whatever_was_sent() {
        assert_eq!(OptionError::at("here", "no").to_string(), "here: no");
        assert_eq!(OptionError::at("here", "é".repeat(9999)).message.chars().count(), LONGEST);
    }
}

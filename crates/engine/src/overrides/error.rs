//! The error for invalid options in a request.

use std::fmt;

/// Invalid options. The request is refused: guessing would hide the mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionError {
    /// A message for the client: what is wrong, and what would be valid.
    pub message: String,
}

/// The maximum length of a message, in characters.
const MAX_MESSAGE_CHARS: usize = 300;

impl OptionError {
    /// The error for the option at `place`.
    pub(crate) fn at(place: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self { message: format!("{place}: {why}").chars().take(MAX_MESSAGE_CHARS).collect() }
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
        assert_eq!(OptionError::at("here", "é".repeat(9999)).message.chars().count(), MAX_MESSAGE_CHARS);
    }
}

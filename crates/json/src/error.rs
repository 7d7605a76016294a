//! Reports where a text stopped being JSON, and what was expected there.

use std::fmt;

/// A text is not JSON, or not JSON that all readers agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// The byte of the fault, from 0: bodies are one long line.
    pub at: usize,
    /// What is allowed there.
    pub expected: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: expected {}", self.at, self.expected)
    }
}

impl std::error::Error for JsonError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where() {
        let error = JsonError { at: 7, expected: "a value" };
        assert_eq!(error.to_string(), "byte 7: expected a value");
    }
}

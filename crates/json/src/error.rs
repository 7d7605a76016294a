//! Reports the position where a text stops being valid JSON, and what was expected there.

use std::fmt;

/// The error for a text that is not JSON, or not JSON that all parsers read the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// The offset of the error in bytes, from 0. There is no line number, because bodies are one long line.
    pub at: usize,
    /// The input that is allowed at this position.
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

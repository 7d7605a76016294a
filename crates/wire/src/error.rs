//! Says where a body stopped making sense, and what would have.

use std::fmt;

/// A body is not what its path promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireError {
    /// The byte of the fault, from 0: bodies are one long line.
    pub at: usize,
    /// What may stand there.
    pub expected: &'static str,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: expected {}", self.at, self.expected)
    }
}

impl std::error::Error for WireError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where() {
        let error = WireError { at: 7, expected: "a value" };
        assert_eq!(error.to_string(), "byte 7: expected a value");
    }
}

//! Tokens before and after.

/// Tokens as they came, and as they were sent.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TokenChange {
    /// As they came.
    pub before: usize,
    /// As they were sent.
    pub after: usize,
}

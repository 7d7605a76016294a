//! Token counts before and after compression.

use std::ops::AddAssign;

/// Tokens of a text before and after compression.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TokenChange {
    /// The number of tokens as received.
    pub before: usize,
    /// The number of tokens as sent.
    pub after: usize,
}

impl TokenChange {
    /// The tokens of a text that is sent unchanged.
    #[must_use]
    pub fn unchanged(tokens: usize) -> Self {
        Self { before: tokens, after: tokens }
    }
}

impl AddAssign for TokenChange {
    fn add_assign(&mut self, other: Self) {
        self.before = self.before.saturating_add(other.before);
        self.after = self.after.saturating_add(other.after);
    }
}

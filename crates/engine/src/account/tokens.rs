//! Tokens before and after.

use std::ops::AddAssign;

/// What something cost as it came, and what it costs as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResultTally {
    /// Tokens as it came.
    pub before: usize,
    /// Tokens as it is sent.
    pub after: usize,
}

impl AddAssign for ResultTally {
    fn add_assign(&mut self, other: Self) {
        self.before = self.before.saturating_add(other.before);
        self.after = self.after.saturating_add(other.after);
    }
}

//! What a request cost.

use std::ops::AddAssign;

/// What a request cost, in billionths of a dollar.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RequestCost {
    /// By the provider's counts, including the rounds that we caused.
    pub paid: u64,
    /// What it would have cost without us. An estimate: our count of what was taken out, scaled to the provider's.
    pub without: u64,
}

impl AddAssign for RequestCost {
    fn add_assign(&mut self, other: Self) {
        self.paid = self.paid.saturating_add(other.paid);
        self.without = self.without.saturating_add(other.without);
    }
}

//! The cost of a request.

use std::ops::AddAssign;

/// The cost of a request, in nanodollars.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RequestCost {
    /// The cost by the provider's usage, including the rounds that we caused.
    pub paid: u64,
    /// The cost that the request would have had without us. This is an estimate: it uses our count of the removed
    /// tokens, scaled to the provider's count.
    pub without: u64,
}

impl AddAssign for RequestCost {
    fn add_assign(&mut self, other: Self) {
        self.paid = self.paid.saturating_add(other.paid);
        self.without = self.without.saturating_add(other.without);
    }
}

//! What results and stages come to, together.

/// What the results of a kind come to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct GroupSums {
    /// How many were sent; one that is sent again counts again, as it does on the bill.
    pub results: u64,
    /// How many of them were changed.
    pub changed: u64,
    /// Their tokens as they came.
    pub before: u64,
    /// Their tokens as they were sent.
    pub after: u64,
}

impl GroupSums {
    /// Tokens saved.
    #[must_use]
    pub fn saved(&self) -> i64 {
        i64::try_from(i128::from(self.before) - i128::from(self.after)).unwrap_or(i64::MAX)
    }
}

/// What a stage comes to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StageSums {
    /// Tokens that it saved; less than none where it made room for another.
    pub saved: i64,
    /// How often something that it left out was fetched back.
    pub calls: u64,
    /// Tokens of that.
    pub fetched: u64,
}

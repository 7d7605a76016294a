//! Totals of results and stages.

/// Totals of the results of one kind.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct GroupSums {
    /// Number of results sent. A result that is sent again counts again, as it does on the bill.
    pub results: u64,
    /// Number of these results that were changed.
    pub changed: u64,
    /// Tokens of these results as received.
    pub before: u64,
    /// Tokens of these results as sent.
    pub after: u64,
}

impl GroupSums {
    /// Tokens saved.
    #[must_use]
    pub fn saved(&self) -> i64 {
        i64::try_from(i128::from(self.before) - i128::from(self.after)).unwrap_or(i64::MAX)
    }
}

/// Totals of one stage.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StageSums {
    /// Tokens that the stage saved; negative if it prepared the text for another stage.
    pub saved: i64,
    /// How often text that the stage left out was fetched back.
    pub calls: u64,
    /// Tokens of the fetched text.
    pub fetched: u64,
}

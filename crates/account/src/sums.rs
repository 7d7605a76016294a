//! What requests come to, together.

use std::ops::AddAssign;

use crate::cost::RequestCost;
use crate::request::RequestRecord;
use crate::usage::TokenUsage;

/// What requests come to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RequestSums {
    /// How many there were.
    pub requests: u64,
    /// How many of them failed; nothing else here counts those.
    pub failed: u64,
    /// Tokens that clients sent.
    pub before: u64,
    /// Tokens that were sent on.
    pub after: u64,
    /// Tokens that fetching back what was left out cost.
    pub fetched: u64,
    /// Tool results.
    pub results: u64,
    /// Those that were changed.
    pub changed: u64,
    /// What the providers counted.
    pub usage: TokenUsage,
    /// How many requests have a known price.
    pub priced: u64,
    /// What those cost, and would have cost.
    pub cost: RequestCost,
    /// What those would have been that were sent unchanged; in no other number here.
    pub would: WouldSums,
}

/// What requests that were sent unchanged would have been.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct WouldSums {
    /// How many there were.
    pub requests: u64,
    /// Their tokens.
    pub before: u64,
    /// The tokens that they would have had.
    pub after: u64,
    /// About what that would have saved, in billionths of a dollar.
    pub money: i64,
}

impl WouldSums {
    fn of(record: &RequestRecord) -> Self {
        let Some(would) = &record.would else { return Self::default() };
        let money = record.cost.zip(record.would_paid);
        Self {
            requests: 1,
            before: would.total_tokens().before as u64,
            after: would.total_tokens().after as u64,
            money: money.map_or(0, |(cost, would)| difference(cost.paid, would)),
        }
    }

    /// Tokens that would have been saved.
    #[must_use]
    pub fn saved(&self) -> i64 {
        difference(self.before, self.after)
    }
}

impl AddAssign for WouldSums {
    fn add_assign(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.before = self.before.saturating_add(other.before);
        self.after = self.after.saturating_add(other.after);
        self.money = self.money.saturating_add(other.money);
    }
}

impl RequestSums {
    /// One request that succeeded.
    #[must_use]
    pub fn of(record: &RequestRecord) -> Self {
        let fetched = record.fetched.iter().fold(0_u64, |all, it| all.saturating_add(it.tokens));
        Self {
            requests: 1,
            failed: 0,
            before: record.total_tokens().before as u64,
            after: record.total_tokens().after as u64,
            // What was fetched is read in those rounds too; it is all that is known where a provider does not say.
            fetched: record.rounds.read().max(fetched),
            results: record.slots as u64,
            changed: record.changed as u64,
            usage: record.usage.unwrap_or_default(),
            priced: u64::from(record.cost.is_some()),
            cost: record.cost.unwrap_or_default(),
            would: WouldSums::of(record),
        }
    }

    /// One request that failed.
    #[must_use]
    pub fn failure() -> Self {
        Self { requests: 1, failed: 1, ..Self::default() }
    }

    /// Tokens saved, after what fetching back cost; negative if that was more.
    #[must_use]
    pub fn saved(&self) -> i64 {
        difference(self.before, self.after.saturating_add(self.fetched))
    }

    /// Money saved, in billionths of a dollar; an estimate.
    #[must_use]
    pub fn money(&self) -> i64 {
        difference(self.cost.without, self.cost.paid)
    }
}

impl AddAssign for RequestSums {
    fn add_assign(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.failed = self.failed.saturating_add(other.failed);
        self.before = self.before.saturating_add(other.before);
        self.after = self.after.saturating_add(other.after);
        self.fetched = self.fetched.saturating_add(other.fetched);
        self.results = self.results.saturating_add(other.results);
        self.changed = self.changed.saturating_add(other.changed);
        self.usage += other.usage;
        self.priced = self.priced.saturating_add(other.priced);
        self.cost += other.cost;
        self.would += other.would;
    }
}

/// The difference of two counts, within what a number holds.
pub(crate) fn difference(more: u64, less: u64) -> i64 {
    let wide = i128::from(more) - i128::from(less);
    i64::try_from(wide).unwrap_or(if wide < 0 { i64::MIN } else { i64::MAX })
}

//! Totals of requests.

use std::ops::AddAssign;

use crate::cost::RequestCost;
use crate::request::RequestRecord;
use crate::usage::TokenUsage;

/// Totals of requests.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RequestSums {
    /// Number of requests.
    pub requests: u64,
    /// Number of failed requests; no other total includes them.
    pub failed: u64,
    /// Tokens that clients sent.
    pub before: u64,
    /// Tokens that were forwarded.
    pub after: u64,
    /// Tokens that fetching back omitted text cost.
    pub fetched: u64,
    /// Number of tool results.
    pub results: u64,
    /// Number of tool results that were changed.
    pub changed: u64,
    /// The providers' usage.
    pub usage: TokenUsage,
    /// Number of requests with a known price.
    pub priced: u64,
    /// The cost of the requests with a known price, with us and without us.
    pub cost: RequestCost,
    /// The savings that compression would have had on requests that were sent unchanged; no other total includes them.
    pub would: WouldSums,
}

/// What compression would have saved on requests that were sent unchanged.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct WouldSums {
    /// Number of requests.
    pub requests: u64,
    /// Tokens of these requests.
    pub before: u64,
    /// The tokens that they would have had compressed.
    pub after: u64,
    /// Estimated money that this would have saved, in nanodollars.
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
    /// The sums of one successful request.
    #[must_use]
    pub fn of(record: &RequestRecord) -> Self {
        let fetched = record.fetched.iter().fold(0_u64, |all, it| all.saturating_add(it.tokens));
        Self {
            requests: 1,
            failed: 0,
            before: record.total_tokens().before as u64,
            after: record.total_tokens().after as u64,
            // The further rounds also read the fetched text. If a provider reports no usage, our count of that text is
            // all we know.
            fetched: record.rounds.read().max(fetched),
            results: record.slots as u64,
            changed: record.changed as u64,
            usage: record.usage.unwrap_or_default(),
            priced: u64::from(record.cost.is_some()),
            cost: record.cost.unwrap_or_default(),
            would: WouldSums::of(record),
        }
    }

    /// The sums of one failed request.
    #[must_use]
    pub fn failure() -> Self {
        Self { requests: 1, failed: 1, ..Self::default() }
    }

    /// Tokens saved, minus the tokens that fetching back cost; negative if fetching cost more than was saved.
    #[must_use]
    pub fn saved(&self) -> i64 {
        difference(self.before, self.after.saturating_add(self.fetched))
    }

    /// Money saved, in nanodollars; an estimate.
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

/// The difference of two counts, saturating.
pub(crate) fn difference(more: u64, less: u64) -> i64 {
    let wide = i128::from(more) - i128::from(less);
    i64::try_from(wide).unwrap_or(if wide < 0 { i64::MIN } else { i64::MAX })
}

//! What requests come to, together.

use std::ops::AddAssign;

use tersely_account::TokenUsage;
use tersely_telemetry::RequestEvent;

/// What requests come to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RequestSums {
    /// How many there were.
    pub requests: u64,
    /// How many of them came to nothing; nothing else here counts those.
    pub failed: u64,
    /// Tokens of all that clients sent.
    pub before: u64,
    /// Tokens of all that was sent on.
    pub after: u64,
    /// Tokens that fetching back what was left out cost.
    pub fetched: u64,
    /// Tool results.
    pub results: u64,
    /// Those that were changed.
    pub changed: u64,
    /// What the providers counted.
    pub billed: TokenUsage,
    /// How many of them have a known price.
    pub priced: u64,
    /// What those cost, in billionths of a dollar.
    pub paid: u64,
    /// What they would have cost; an estimate.
    pub full: u64,
    /// What those of them would have been that were sent as they came; in no other number here.
    pub would: WouldSums,
}

/// What requests that were sent as they came would have been.
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
    fn of(event: &RequestEvent) -> Self {
        let Some(would) = &event.record.would else { return Self::default() };
        let money = event.record.cost.zip(event.record.would_paid);
        Self {
            requests: 1,
            before: would.total_tokens().before as u64,
            after: would.total_tokens().after as u64,
            money: money.map_or(0, |(cost, would)| clamp(i128::from(cost.paid) - i128::from(would))),
        }
    }

    /// Tokens that would have been saved.
    #[must_use]
    pub fn saved(&self) -> i64 {
        clamp(i128::from(self.before) - i128::from(self.after))
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
    /// One request.
    #[must_use]
    pub fn of(event: &RequestEvent) -> Self {
        if !event.is_success() {
            return Self { requests: 1, failed: 1, ..Self::default() };
        }
        let fetched = event.record.fetched.iter().fold(0_u64, |all, it| all.saturating_add(it.tokens));
        let cost = event.record.cost.unwrap_or_default();
        Self {
            requests: 1,
            failed: 0,
            before: event.record.total_tokens().before as u64,
            after: event.record.total_tokens().after as u64,
            // What was fetched is read in those rounds too; it is all that is known where a provider does not say.
            fetched: event.record.rounds.read().max(fetched),
            results: event.record.slots as u64,
            changed: event.record.changed as u64,
            billed: event.record.usage.unwrap_or_default(),
            priced: u64::from(event.record.cost.is_some()),
            paid: cost.paid,
            full: cost.without,
            would: WouldSums::of(event),
        }
    }

    /// Tokens saved, after what fetching back cost; less than none if that was more.
    #[must_use]
    pub fn saved(&self) -> i64 {
        let sent = i128::from(self.after) + i128::from(self.fetched);
        clamp(i128::from(self.before) - sent)
    }

    /// Money saved, in billionths of a dollar; an estimate.
    #[must_use]
    pub fn money(&self) -> i64 {
        clamp(i128::from(self.full) - i128::from(self.paid))
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
        self.billed += other.billed;
        self.priced = self.priced.saturating_add(other.priced);
        self.paid = self.paid.saturating_add(other.paid);
        self.full = self.full.saturating_add(other.full);
        self.would += other.would;
    }
}

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
        clamp(i128::from(self.before) - i128::from(self.after))
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

fn clamp(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

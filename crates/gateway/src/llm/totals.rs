//! What all requests so far came to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tersely_engine::{Fetched, Report};

/// Tokens saved, by the stage that saved them.
pub type Stages = BTreeMap<&'static str, i64>;

/// What all requests so far came to.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Totals {
    /// Requests that were looked at.
    pub requests: u64,
    /// Tokens of their tool results as they came.
    pub before: u64,
    /// Tokens of their tool results as they were sent.
    pub after: u64,
    /// Results or whole requests that went on as they came because we could not do better.
    pub faults: u64,
    /// What each stage saved of it; less than nothing where one made room for another.
    pub stages: Stages,
    /// What models fetched back of what was left out, by the stage that had left it out.
    pub fetched: Fetched,
    /// What the further rounds cost to read, in tokens at full price.
    pub rounds: u64,
}

/// The sums, as they grow.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    requests: AtomicU64,
    before: AtomicU64,
    after: AtomicU64,
    faults: AtomicU64,
    rounds: AtomicU64,
    stages: Mutex<Stages>,
    fetched: Mutex<Fetched>,
}

impl Sums {
    /// Adds what became of a request.
    pub(crate) fn add(&self, report: &Report) {
        for (sum, size) in [
            (&self.requests, 1),
            (&self.before, report.before),
            (&self.after, report.after),
            (&self.faults, report.faults),
        ] {
            sum.fetch_add(u64::try_from(size).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        let mut stages = now(&self.stages);
        for saving in &report.stages {
            *stages.entry(saving.stage).or_default() += saving.saved;
        }
    }

    /// Adds a request that went on as it came because we could not do better.
    pub(crate) fn miss(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.faults.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds what a model fetched back.
    pub(crate) fn fetch(&self, fetched: &Fetched, rounds: u64) {
        self.rounds.fetch_add(rounds, Ordering::Relaxed);
        let mut sums = now(&self.fetched);
        for (stage, fetch) in fetched {
            let sum = sums.entry(stage).or_default();
            sum.calls += fetch.calls;
            sum.tokens += fetch.tokens;
        }
    }

    /// All sums as they are now.
    pub(crate) fn totals(&self) -> Totals {
        let size = |sum: &AtomicU64| sum.load(Ordering::Relaxed);
        Totals {
            requests: size(&self.requests),
            before: size(&self.before),
            after: size(&self.after),
            faults: size(&self.faults),
            stages: BTreeMap::clone(&now(&self.stages)),
            fetched: BTreeMap::clone(&now(&self.fetched)),
            rounds: size(&self.rounds),
        }
    }
}

/// Sums as they are now; they stay right when someone panics beside them.
fn now<T>(sums: &Mutex<T>) -> MutexGuard<'_, T> {
    sums.lock().unwrap_or_else(PoisonError::into_inner)
}

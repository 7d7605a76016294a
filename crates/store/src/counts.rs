//! Counts the calls of a store by outcome.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The number of calls to a store so far, by outcome.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StoreCounts {
    /// Lookups that found a text.
    pub hits: u64,
    /// Lookups that found nothing.
    pub misses: u64,
    /// Texts that were stored.
    pub kept: u64,
    /// Calls that failed.
    pub failures: u64,
    /// Lookups that found a value that cannot be decrypted, because it was changed or sealed with another secret.
    /// These also count as misses.
    pub spoiled: u64,
    /// The total time of all calls.
    pub took: Duration,
}

/// The counters that calls update.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    pub(crate) kept: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) spoiled: AtomicU64,
    nanos: AtomicU64,
}

impl Counters {
    pub(crate) fn read(&self) -> StoreCounts {
        StoreCounts {
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            kept: self.kept.load(Relaxed),
            failures: self.failures.load(Relaxed),
            spoiled: self.spoiled.load(Relaxed),
            took: Duration::from_nanos(self.nanos.load(Relaxed)),
        }
    }

    /// Adds the duration of a call.
    pub(crate) fn add_time(&self, time: Duration) {
        self.nanos.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }
}

/// Adds one to a counter.
pub(crate) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

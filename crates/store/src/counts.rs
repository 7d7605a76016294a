//! Counts what became of the calls.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What became of the calls so far.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StoreCounts {
    /// Texts that were asked for and found.
    pub hits: u64,
    /// Texts that were asked for and were not there.
    pub misses: u64,
    /// Texts that were kept.
    pub kept: u64,
    /// Calls that came to nothing because of where texts are kept.
    pub failures: u64,
    /// Values that were found and could not be opened, counted as misses too: changed, or sealed with another secret.
    pub spoiled: u64,
    /// What all calls took.
    pub took: Duration,
}

/// The running counts.
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

    /// Adds what a call took.
    pub(crate) fn took(&self, time: Duration) {
        self.nanos.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }
}

/// Counts one more.
pub(crate) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

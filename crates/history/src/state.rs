//! State shared by the event sink and the writer thread.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::read::HistoryView;

/// Where a history is stored, and for how long.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HistorySettings {
    /// The file; `None` keeps the history in memory until the process ends.
    pub file: Option<PathBuf>,
    /// Number of days for which single requests are retained.
    pub days: usize,
    /// The name of the project folder of the requests.
    pub project: Option<String>,
}

/// State shared by the event sink and the writer thread.
#[derive(Default)]
pub(crate) struct SinkState {
    /// Number of events received.
    pub(crate) heard: AtomicU64,
    /// Number of events written or dropped.
    pub(crate) settled: AtomicU64,
    /// Number of events dropped.
    pub(crate) lost: AtomicU64,
    /// The first error, if there was one.
    pub(crate) fault: OnceLock<String>,
    /// The in-memory history, if there is no file.
    pub(crate) memory: Option<Arc<Mutex<HistoryView>>>,
}

impl SinkState {
    /// Counts events as dropped.
    pub(crate) fn lose(&self, events: usize) {
        self.lost.fetch_add(events as u64, Ordering::Relaxed);
        self.settled.fetch_add(events as u64, Ordering::Release);
    }
}

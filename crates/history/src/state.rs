//! What whoever hears of requests and whoever writes them down both know.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::read::HistoryView;

/// Where a history is kept, and for how long.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HistorySettings {
    /// The file; none: it lives as long as the process.
    pub file: Option<PathBuf>,
    /// For how many days single requests are kept.
    pub days: usize,
    /// The name of the folder that requests are made for.
    pub project: Option<String>,
}

/// What whoever hears and whoever writes both know.
#[derive(Default)]
pub(crate) struct SinkState {
    /// Events that came.
    pub(crate) heard: AtomicU64,
    /// Events that were written or lost.
    pub(crate) settled: AtomicU64,
    /// Events that were lost.
    pub(crate) lost: AtomicU64,
    /// What was wrong first, if anything was.
    pub(crate) fault: OnceLock<String>,
    /// The history that lives as long as the process.
    pub(crate) memory: Option<Arc<Mutex<HistoryView>>>,
}

impl SinkState {
    /// So many events came to nothing.
    pub(crate) fn lose(&self, events: usize) {
        self.lost.fetch_add(events as u64, Ordering::Relaxed);
        self.settled.fetch_add(events as u64, Ordering::Release);
    }
}

//! What whoever looks after a gateway can be shown of it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tersely_engine::Engine;
use tersely_history::HistorySink;
use tersely_store::Store;

/// What whoever looks after a gateway can be shown of it.
#[derive(Clone, Default)]
pub struct Display {
    /// What became of requests.
    pub history: Option<HistorySource>,
    /// What it does at the moment.
    pub inside: Option<Arc<dyn Inside>>,
}

/// Where a history is read.
#[derive(Clone)]
pub enum HistorySource {
    /// What a gateway records.
    Sink(HistorySink),
    /// A file that others write.
    File(PathBuf),
}

/// What a gateway does at the moment.
pub trait Inside: Send + Sync {
    /// The engine that the next request gets.
    fn engine(&self) -> Arc<Engine>;

    /// Where texts are kept, if they are.
    fn store(&self) -> Option<&Store>;
}

/// All of it would be too many words.
impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Display")
    }
}

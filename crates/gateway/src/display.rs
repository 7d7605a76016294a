//! What whoever looks after a gateway can be shown of it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tersely_history::HistorySink;
use tersely_store::Store;

use crate::shared_engine::SharedEngine;

/// What whoever looks after a gateway can be shown of it.
#[derive(Clone, Default)]
pub struct Display {
    /// What became of requests.
    pub history: Option<HistorySource>,
    /// The engine that the next request gets.
    pub engine: Option<SharedEngine>,
    /// Where texts are kept.
    pub store: Option<Arc<Store>>,
}

/// Where a history is read.
#[derive(Clone)]
pub enum HistorySource {
    /// What a gateway records.
    Sink(HistorySink),
    /// A file that others write.
    File(PathBuf),
}

/// All of it would be too many words.
impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Display")
    }
}

//! The data of a gateway that the dashboard can show.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tersely_history::HistorySink;
use tersely_store::Store;

use crate::shared_engine::SharedEngine;

/// The data of a gateway that the dashboard can show.
#[derive(Clone, Default)]
pub struct Display {
    /// The history of requests.
    pub history: Option<HistorySource>,
    /// The engine that processes the next request.
    pub engine: Option<SharedEngine>,
    /// The store of texts left out of requests.
    pub store: Option<Arc<Store>>,
}

/// The source that a history is read from.
#[derive(Clone)]
pub enum HistorySource {
    /// The history that this gateway records itself.
    Sink(HistorySink),
    /// A file that another process writes.
    File(PathBuf),
}

/// Omits the contents, which would be too long for a log line.
impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Display")
    }
}

//! Where events go: into the log, the numbers and the file.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::access;
use crate::event::RequestEvent;
use crate::journal::JournalFile;
use crate::metrics::Metrics;

/// Where events go. Clones share all they hold.
#[derive(Clone)]
pub struct Telemetry(Arc<Sinks>);

/// All its numbers would be too many words.
impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Telemetry")
    }
}

struct Sinks {
    metrics: Metrics,
    journal: Option<JournalFile>,
    last: AtomicU64,
}

impl Telemetry {
    /// Events go into the numbers, the log if one was started, and a file if one is given.
    #[must_use]
    pub fn new(journal: Option<JournalFile>) -> Self {
        Self(Arc::new(Sinks { metrics: Metrics::new(), journal, last: AtomicU64::new(0) }))
    }

    /// Hears that a request has come, and gives it a number.
    #[must_use]
    pub fn begin(&self) -> u64 {
        self.0.metrics.begin();
        self.0.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Hears that it was none that anyone needs to know of.
    pub fn forget(&self) {
        self.0.metrics.forget();
    }

    /// Hears what became of it; `why` it failed is for the log alone.
    pub fn end(&self, event: &RequestEvent, why: Option<&str>) {
        self.0.metrics.end(event);
        access::write(event, why);
        if let Some(journal) = &self.0.journal {
            journal.write(event);
        }
    }

    /// The numbers, as Prometheus reads them.
    #[must_use]
    pub fn metrics(&self) -> String {
        self.0.metrics.text(self.0.journal.as_ref().map_or(0, JournalFile::dropped))
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self::new(None)
    }
}

//! Passes events to the log, the metrics and all other sinks.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tersely_account::PriceTable;

use crate::access;
use crate::event::RequestEvent;
use crate::metrics::{Metrics, NumbersForm, RunningStream};
use crate::side::SideLook;
use crate::sink::EventSink;

/// Passes events to the log, the metrics and all other sinks. Clones share their state.
#[derive(Clone)]
pub struct Telemetry(Arc<Sinks>);

/// Omits the metrics, which would be too long.
impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Telemetry")
    }
}

struct Sinks {
    metrics: Metrics,
    others: Vec<Box<dyn EventSink>>,
    prices: PriceTable,
    last: AtomicU64,
}

impl Telemetry {
    /// Creates a value that passes events to the metrics, to the log if one was started, and to these sinks.
    #[must_use]
    pub fn new(others: Vec<Box<dyn EventSink>>) -> Self {
        Self::priced(PriceTable::known(), others)
    }

    /// Like `new`, with these prices.
    #[must_use]
    pub fn priced(prices: PriceTable, others: Vec<Box<dyn EventSink>>) -> Self {
        Self(Arc::new(Sinks { metrics: Metrics::new(None), others, prices, last: AtomicU64::new(0) }))
    }

    /// Like `priced`, with numbers that do not belong to a single request.
    #[must_use]
    pub fn beside(prices: PriceTable, others: Vec<Box<dyn EventSink>>, look: SideLook) -> Self {
        Self(Arc::new(Sinks { metrics: Metrics::new(Some(look)), others, prices, last: AtomicU64::new(0) }))
    }

    /// The model prices.
    #[must_use]
    pub fn prices(&self) -> &PriceTable {
        &self.0.prices
    }

    /// Counts a new request, and returns its number.
    #[must_use]
    pub fn begin(&self) -> u64 {
        self.0.metrics.begin();
        self.0.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Undoes `begin` for a request that is not recorded.
    pub fn forget(&self) {
        self.0.metrics.forget();
    }

    /// Records a finished request. `why`, the reason for a failure, goes only to the log.
    pub fn end(&self, event: RequestEvent, why: Option<&str>) {
        self.0.metrics.end(&event);
        access::write(&event, why);
        if self.0.others.is_empty() {
            return;
        }
        let event = Arc::new(event);
        for sink in &self.0.others {
            sink.hear(&event);
        }
    }

    /// Counts a streamed response as running until the returned value is dropped.
    #[must_use]
    pub fn stream(&self) -> RunningStream {
        self.0.metrics.stream()
    }

    /// Counts a connection whose handshake failed.
    pub fn handshake_failed(&self) {
        self.0.metrics.handshake_failed();
    }

    /// The id of the span for the request with this number, if a sink creates spans.
    #[must_use]
    pub fn span(&self, id: u64) -> Option<u64> {
        self.0.others.iter().find_map(|sink| sink.span(id))
    }

    /// Renders the metrics in this format.
    #[must_use]
    pub fn metrics(&self, form: NumbersForm) -> Vec<u8> {
        self.0.metrics.lost(self.0.others.iter().map(|sink| (sink.name(), sink.dropped())));
        self.0.metrics.write(form)
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

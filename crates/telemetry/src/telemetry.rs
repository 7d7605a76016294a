//! Where events go: into the log, the numbers, and whatever else hears them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tersely_account::PriceTable;

use crate::access;
use crate::event::RequestEvent;
use crate::metrics::{Metrics, NumbersForm, RunningStream};
use crate::side::SideLook;
use crate::sink::EventSink;

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
    others: Vec<Box<dyn EventSink>>,
    prices: PriceTable,
    last: AtomicU64,
}

impl Telemetry {
    /// Events go into the numbers, the log if one was started, and wherever else.
    #[must_use]
    pub fn new(others: Vec<Box<dyn EventSink>>) -> Self {
        Self::priced(PriceTable::known(), others)
    }

    /// The same, at these prices.
    #[must_use]
    pub fn priced(prices: PriceTable, others: Vec<Box<dyn EventSink>>) -> Self {
        Self(Arc::new(Sinks { metrics: Metrics::new(None), others, prices, last: AtomicU64::new(0) }))
    }

    /// The same, with numbers of what is beside requests.
    #[must_use]
    pub fn beside(prices: PriceTable, others: Vec<Box<dyn EventSink>>, look: SideLook) -> Self {
        Self(Arc::new(Sinks { metrics: Metrics::new(Some(look)), others, prices, last: AtomicU64::new(0) }))
    }

    /// What models cost.
    #[must_use]
    pub fn prices(&self) -> &PriceTable {
        &self.0.prices
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

    /// Hears that an answer comes event by event, for as long as the value lives.
    #[must_use]
    pub fn stream(&self) -> RunningStream {
        self.0.metrics.stream()
    }

    /// Hears that somebody did not get as far as a request.
    pub fn handshake_failed(&self) {
        self.0.metrics.handshake_failed();
    }

    /// The span that a request of this number becomes, if it becomes one.
    #[must_use]
    pub fn span(&self, id: u64) -> Option<u64> {
        self.0.others.iter().find_map(|sink| sink.span(id))
    }

    /// The numbers, in this form.
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

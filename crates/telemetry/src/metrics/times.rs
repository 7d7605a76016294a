//! Duration histograms, with classic and with native Prometheus buckets.

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, NativeHistogramConfig};
use prometheus_client::registry::{Registry, Unit};

use crate::event::RequestEvent;
use crate::metrics::family::ByProvider;

/// Bucket bounds in seconds: 0.1 milliseconds to two minutes.
const TIMES: [f64; 14] =
    [0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0];

/// Maximum number of buckets in a native histogram; beyond that, its resolution decreases.
const BUCKETS: usize = 160;

type Seconds = Family<ByProvider, Histogram, fn() -> Histogram>;

/// Duration metrics.
pub(crate) struct TimeMetrics {
    whole: Seconds,
    upstream: Seconds,
    ours: Seconds,
}

impl TimeMetrics {
    pub(crate) fn new(to: &mut Registry) -> Self {
        Self {
            whole: timed(
                to,
                "request_duration",
                "Time from the first byte of a request to the last byte of its response",
            ),
            upstream: timed(
                to,
                "upstream_duration",
                "Time from forwarding a request to receiving the response headers",
            ),
            ours: timed(to, "rewrite_duration", "Time spent rewriting a request"),
        }
    }

    pub(crate) fn add(&self, of: &ByProvider, event: &RequestEvent) {
        self.whole.get_or_create(of).observe(event.took.as_secs_f64());
        for (family, time) in [(&self.upstream, event.upstream), (&self.ours, event.ours)] {
            if let Some(time) = time {
                family.get_or_create(of).observe(time.as_secs_f64());
            }
        }
    }
}

fn timed(to: &mut Registry, name: &str, about: &str) -> Seconds {
    let metric = Seconds::new_with_constructor(histogram);
    to.register_with_unit(name, about, Unit::Seconds, metric.clone());
    metric
}

fn histogram() -> Histogram {
    Histogram::new_classic_and_native(TIMES, NativeHistogramConfig::default().max_buckets(BUCKETS))
}

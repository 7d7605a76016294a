//! The numbers that Prometheus reads.
//!
//! Labels are words of ours, so their number is bounded whatever clients send.

use std::sync::atomic::AtomicI64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::event::RequestEvent;

/// Seconds: from a tenth of a millisecond to two minutes.
const TIMES: [f64; 14] =
    [0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0];

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Ends {
    provider: &'static str,
    status: &'static str,
    end: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByProvider {
    provider: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByStage {
    stage: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct BySink {
    sink: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByReason {
    reason: &'static str,
}

type Seconds = Family<ByProvider, Histogram, fn() -> Histogram>;

/// The numbers.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Ends, Counter>,
    running: Gauge<i64, AtomicI64>,
    tokens: TokenMetrics,
    missed: Family<ByReason, Counter>,
    redacted: Counter,
    reused: Counter,
    faults: Counter,
    dropped: Family<BySink, Counter>,
    times: TimeMetrics,
}

/// Tokens of requests that were answered with success.
struct TokenMetrics {
    results: Family<ByProvider, Counter>,
    changed: Family<ByProvider, Counter>,
    result_before: Family<ByProvider, Counter>,
    result_after: Family<ByProvider, Counter>,
    request_before: Family<ByProvider, Counter>,
    request_after: Family<ByProvider, Counter>,
    tool: Family<ByProvider, Counter>,
    saved: Family<ByStage, Counter>,
    added: Family<ByStage, Counter>,
}

/// How long things took.
struct TimeMetrics {
    whole: Seconds,
    upstream: Seconds,
    ours: Seconds,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("tersely");
        let to = &mut registry;
        Self {
            requests: counted(to, "requests", "Requests, by how they ended"),
            running: counted(to, "requests_running", "Requests under way, streams included"),
            tokens: TokenMetrics::new(to),
            missed: counted(to, "missed", "Requests that went on as they came though they should not have"),
            redacted: counted(to, "secrets_masked", "Secrets masked"),
            reused: counted(to, "memo_reused", "Tool results of which it was remembered what they become"),
            faults: counted(
                to,
                "faults",
                "Results or requests that went on as they came because of a fault of ours",
            ),
            dropped: counted(to, "events_dropped", "Events that did not get where they were to go"),
            times: TimeMetrics::new(to),
            registry,
        }
    }

    /// Counts a request that has come.
    pub(crate) fn begin(&self) {
        self.running.inc();
    }

    /// One that has come does not count.
    pub(crate) fn forget(&self) {
        self.running.dec();
    }

    /// Counts one that has ended.
    pub(crate) fn end(&self, event: &RequestEvent) {
        self.running.dec();
        let provider = event.provider.unwrap_or("none");
        let status = class(event.status);
        self.requests.get_or_create(&Ends { provider, status, end: event.end.name() }).inc();
        if let Some(reason) = event.missed {
            self.missed.get_or_create(&ByReason { reason }).inc();
        }
        self.faults.inc_by(wide(event.faults));
        self.redacted.inc_by(wide(event.redacted));
        self.times.add(&ByProvider { provider }, event);
        if event.is_success() {
            self.reused.inc_by(wide(event.reused));
            self.tokens.add(&ByProvider { provider }, event);
        }
    }

    /// All of them, as Prometheus reads them; `dropped` is how many events each sink lost.
    pub(crate) fn text(&self, dropped: impl IntoIterator<Item = (&'static str, u64)>) -> String {
        for (sink, dropped) in dropped {
            let known = self.dropped.get_or_create(&BySink { sink });
            known.inc_by(dropped.saturating_sub(known.get()));
        }
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl TokenMetrics {
    fn new(to: &mut Registry) -> Self {
        Self {
            results: counted(to, "results", "Tool results in requests"),
            changed: counted(to, "results_changed", "Tool results that were changed"),
            result_before: counted(to, "result_tokens_before", "Tokens of tool results as they came"),
            result_after: counted(to, "result_tokens_after", "Tokens of tool results as they were sent"),
            request_before: counted(to, "request_tokens_before", "Tokens of whole requests as they came"),
            request_after: counted(to, "request_tokens_after", "Tokens of whole requests as they were sent"),
            tool: counted(to, "tool_tokens", "Tokens of our own tool, within those of whole requests"),
            saved: counted(to, "stage_tokens_saved", "Tokens saved by each stage"),
            added: counted(to, "stage_tokens_added", "Tokens added by stages that made room for others"),
        }
    }

    fn add(&self, of: &ByProvider, event: &RequestEvent) {
        let add = |family: &Family<ByProvider, Counter>, count| {
            family.get_or_create(of).inc_by(wide(count));
        };
        add(&self.results, event.results);
        add(&self.changed, event.changed);
        add(&self.result_before, event.result_tokens.before);
        add(&self.result_after, event.result_tokens.after);
        add(&self.request_before, event.request_tokens.before);
        add(&self.request_after, event.request_tokens.after);
        add(&self.tool, event.tool_tokens);
        for (stage, saved) in &event.stages {
            let side = if *saved < 0 { &self.added } else { &self.saved };
            side.get_or_create(&ByStage { stage }).inc_by(saved.unsigned_abs());
        }
    }
}

impl TimeMetrics {
    fn new(to: &mut Registry) -> Self {
        Self {
            whole: timed(to, "request_duration", "From a request's first byte to the last of its answer"),
            upstream: timed(
                to,
                "upstream_duration",
                "From when a request was sent on to the head of the answer",
            ),
            ours: timed(to, "rewrite_duration", "What rewriting a request took"),
        }
    }

    fn add(&self, of: &ByProvider, event: &RequestEvent) {
        self.whole.get_or_create(of).observe(event.took.as_secs_f64());
        for (family, time) in [(&self.upstream, event.upstream), (&self.ours, event.ours)] {
            if let Some(time) = time {
                family.get_or_create(of).observe(time.as_secs_f64());
            }
        }
    }
}

fn counted<M>(to: &mut Registry, name: &str, about: &str) -> M
where
    M: prometheus_client::registry::Metric + Clone + Default,
{
    let metric = M::default();
    to.register(name, about, metric.clone());
    metric
}

fn timed(to: &mut Registry, name: &str, about: &str) -> Seconds {
    let metric = Seconds::new_with_constructor(|| Histogram::new(TIMES));
    to.register_with_unit(name, about, Unit::Seconds, metric.clone());
    metric
}

/// The class of a status.
fn class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        5 => "5xx",
        _ => "none",
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{RequestEnd, Verb};
    use crate::tokens::TokenChange;

    fn event(status: u16) -> RequestEvent {
        RequestEvent {
            provider: Some("openai"),
            status,
            end: RequestEnd::Answered,
            results: 3,
            changed: 2,
            result_tokens: TokenChange { before: 100, after: 60 },
            request_tokens: TokenChange { before: 500, after: 470 },
            tool_tokens: 10,
            stages: vec![("search", 50), ("numbered", -10)],
            ..RequestEvent::new(1, Verb::of("POST"))
        }
    }

    #[test]
    fn only_requests_with_an_answer_save() {
        let metrics = Metrics::new();
        for status in [200, 200, 500] {
            metrics.begin();
            metrics.end(&event(status));
        }
        let text = metrics.text([("events", 7)]);
        for line in [
            "tersely_requests_total{provider=\"openai\",status=\"2xx\",end=\"answered\"} 2",
            "tersely_requests_total{provider=\"openai\",status=\"5xx\",end=\"answered\"} 1",
            "tersely_requests_running 0",
            "tersely_result_tokens_before_total{provider=\"openai\"} 200",
            "tersely_result_tokens_after_total{provider=\"openai\"} 120",
            "tersely_stage_tokens_saved_total{stage=\"search\"} 100",
            "tersely_stage_tokens_added_total{stage=\"numbered\"} 20",
            "tersely_events_dropped_total{sink=\"events\"} 7",
            "tersely_request_duration_seconds_count{provider=\"openai\"} 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn dropped_events_are_counted_once() {
        let metrics = Metrics::new();
        metrics.text([("events", 2)]);
        assert!(metrics.text([("events", 5)]).contains("tersely_events_dropped_total{sink=\"events\"} 5\n"));
    }
}

//! The Prometheus metrics.

mod beside;
mod classic;
mod family;
mod forms;
mod process;
mod tenants;
mod times;
mod tokens;

use std::sync::atomic::AtomicI64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::prometheus_protobuf::encode_to_vec;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::event::{RequestEnd, RequestEvent};
use crate::metrics::beside::Beside;
use crate::metrics::classic::classic;
pub(crate) use crate::metrics::family::dollars;
use crate::metrics::family::{ByProvider, CounterFamily, counted, wide};
use crate::metrics::forms::FormMetrics;
use crate::metrics::process::ProcessMetrics;
use crate::metrics::tenants::TenantMetrics;
use crate::metrics::times::TimeMetrics;
use crate::metrics::tokens::TokenMetrics;
use crate::side::SideLook;

/// The status for a client or tenant over its rate limit.
const TOO_MANY: u16 = 429;

/// The status for a caller that cannot be authenticated.
const UNKNOWN: u16 = 401;

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByEnd {
    provider: &'static str,
    status: &'static str,
    end: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct BySink {
    sink: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByReason {
    reason: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByVersion {
    version: &'static str,
}

/// The exposition format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NumbersForm {
    /// The older Prometheus text format, which every tool can read.
    Classic,
    /// The `OpenMetrics` text format.
    Open,
    /// Prometheus protobuf, with native histograms.
    Framed,
}

/// All metrics.
pub(crate) struct Metrics {
    registry: Registry,
    requests: CounterFamily<ByEnd>,
    running: Gauge<i64, AtomicI64>,
    streams: Gauge<i64, AtomicI64>,
    limited: Counter,
    unknown: Counter,
    handshakes: Counter,
    tokens: TokenMetrics,
    tenants: TenantMetrics,
    forms: FormMetrics,
    missed: CounterFamily<ByReason>,
    redacted: Counter,
    reused: Counter,
    computed: Counter,
    faults: Counter,
    dropped: CounterFamily<BySink>,
    times: TimeMetrics,
}

impl Metrics {
    pub(crate) fn new(beside: Option<SideLook>) -> Self {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(ProcessMetrics));
        let to = registry.sub_registry_with_prefix("tersely");
        let build: Family<ByVersion, Gauge> = counted(to, "build_info", "The running release");
        build.get_or_create(&ByVersion { version: env!("CARGO_PKG_VERSION") }).set(1);
        if let Some(look) = beside {
            to.register_collector(Box::new(Beside(look)));
        }
        Self {
            requests: counted(to, "requests", "Requests, by how they ended"),
            running: counted(to, "requests_running", "Requests in progress, including streams"),
            streams: counted(to, "streams_running", "Streamed responses in progress"),
            limited: counted(to, "rate_limited", "Requests refused because of a rate limit"),
            unknown: counted(
                to,
                "unauthorized",
                "Requests refused for lack of a known key or certificate, or of a required credential",
            ),
            handshakes: counted(
                to,
                "handshakes_failed",
                "Connections closed during the TLS handshake or before the first request",
            ),
            tokens: TokenMetrics::new(to),
            tenants: TenantMetrics::new(to),
            forms: FormMetrics::new(to),
            missed: counted(to, "missed", "Requests forwarded unchanged that should have been rewritten"),
            redacted: counted(to, "secrets_masked", "Secrets masked"),
            reused: counted(to, "memo_reused", "Tool results served from the cache of compressed results"),
            computed: counted(to, "memo_missed", "Tool results that had to be compressed"),
            faults: counted(to, "faults", "Results or requests forwarded unchanged because Tersely failed"),
            dropped: counted(to, "events_dropped", "Events that did not reach their destination"),
            times: TimeMetrics::new(to),
            registry,
        }
    }

    /// Counts a request that has arrived.
    pub(crate) fn begin(&self) {
        self.running.inc();
    }

    /// Undoes `begin` for a request that is not recorded.
    pub(crate) fn forget(&self) {
        self.running.dec();
    }

    /// Counts a streamed response as running until the returned value is dropped.
    pub(crate) fn stream(&self) -> RunningStream {
        self.streams.inc();
        RunningStream(self.streams.clone())
    }

    /// Counts a connection whose handshake failed.
    pub(crate) fn handshake_failed(&self) {
        self.handshakes.inc();
    }

    /// Counts a finished request.
    pub(crate) fn end(&self, event: &RequestEvent) {
        self.running.dec();
        let provider = event.provider.unwrap_or("none");
        let status = class(event.status);
        self.requests.get_or_create(&ByEnd { provider, status, end: event.end.name() }).inc();
        if let Some(reason) = event.missed {
            self.missed.get_or_create(&ByReason { reason }).inc();
        }
        // A request that the upstream rejects with this status ends as answered, so here we rejected it ourselves.
        if event.status == TOO_MANY && event.end == RequestEnd::Client {
            self.limited.inc();
        }
        if event.status == UNKNOWN && event.end == RequestEnd::Client {
            self.unknown.inc();
        }
        self.faults.inc_by(wide(event.record.faults));
        self.redacted.inc_by(wide(event.record.redacted));
        self.times.add(&ByProvider { provider }, event);
        self.tenants.add(event);
        self.forms.add(event);
        if event.is_success() {
            self.reused.inc_by(wide(event.record.reused));
            self.computed.inc_by(wide(event.record.slots.saturating_sub(event.record.reused)));
            self.tokens.add(&ByProvider { provider }, event);
        }
    }

    /// Updates the number of events that each sink has dropped.
    pub(crate) fn lost(&self, dropped: impl IntoIterator<Item = (&'static str, u64)>) {
        for (sink, dropped) in dropped {
            let known = self.dropped.get_or_create(&BySink { sink });
            known.inc_by(dropped.saturating_sub(known.get()));
        }
    }

    /// Renders all metrics.
    pub(crate) fn write(&self, form: NumbersForm) -> Vec<u8> {
        match form {
            NumbersForm::Classic => classic(&self.text()).into_bytes(),
            NumbersForm::Open => self.text().into_bytes(),
            // The protobuf format can express every metric here.
            NumbersForm::Framed => encode_to_vec(&self.registry).unwrap_or_default(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// A streamed response, counted as running until this is dropped.
pub struct RunningStream(Gauge<i64, AtomicI64>);

impl Drop for RunningStream {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The class of a status: `2xx` and so on.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::event::Verb;
    use crate::side::{SideNumbers, StoreNumbers};
    use tersely_account::{
        FetchSum, GroupSum, RequestCost, RequestRecord, ResultGroup, ResultRecord, ResultStatus, StageSaving,
        TokenChange, TokenUsage,
    };

    const GROUP: ResultGroup = ResultGroup { tool: "bash", family: "log" };

    fn event(status: u16) -> RequestEvent {
        RequestEvent {
            provider: Some("openai"),
            status,
            end: RequestEnd::Answered,
            record: RequestRecord {
                slots: 3,
                changed: 2,
                groups: vec![GroupSum {
                    group: GROUP,
                    results: 3,
                    changed: 2,
                    tokens: TokenChange { before: 100, after: 60 },
                }],
                fresh: vec![result(ResultStatus::Compressed), result(ResultStatus::PassthroughSmall)],
                result_tokens: TokenChange { before: 100, after: 60 },
                request_tokens: Some(TokenChange { before: 500, after: 470 }),
                tool_tokens: 10,
                reused: 1,
                stages: vec![
                    StageSaving { stage: "search", texts: 1, saved: 50 },
                    StageSaving { stage: "numbered", texts: 1, saved: -10 },
                ],
                fetched: vec![FetchSum { stage: "search", calls: 2, tokens: 30 }],
                usage: Some(TokenUsage { input: 5, cache_read: 400, output: 20, ..TokenUsage::default() }),
                rounds: TokenUsage { input: 3, ..TokenUsage::default() },
                cost: Some(RequestCost { paid: 1_500_000_000, without: 2_000_000_000 }),
                ..RequestRecord::default()
            },
            ..RequestEvent::new(1, Verb::of("POST"))
        }
    }

    fn result(status: ResultStatus) -> Arc<ResultRecord> {
        Arc::new(ResultRecord { group: GROUP, mode: "safe", status, ..ResultRecord::default() })
    }

    fn holds(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|found| found == *line), "{line} is not in\n{text}");
        }
    }

    /// Behaviour 13.3.
    #[test]
    fn only_requests_with_an_answer_save() {
        let metrics = Metrics::new(None);
        for status in [200, 200, 500] {
            metrics.begin();
            metrics.end(&event(status));
        }
        holds(
            &metrics.text(),
            &[
                "tersely_requests_total{provider=\"openai\",status=\"2xx\",end=\"answered\"} 2",
                "tersely_requests_total{provider=\"openai\",status=\"5xx\",end=\"answered\"} 1",
                "tersely_requests_running 0",
                "tersely_result_tokens_before_total{provider=\"openai\"} 200",
                "tersely_result_tokens_after_total{provider=\"openai\"} 120",
                "tersely_group_results_total{tool=\"bash\",family=\"log\"} 6",
                "tersely_group_results_changed_total{tool=\"bash\",family=\"log\"} 4",
                "tersely_group_tokens_before_total{tool=\"bash\",family=\"log\"} 200",
                "tersely_group_tokens_after_total{tool=\"bash\",family=\"log\"} 120",
                "tersely_memo_reused_total 2",
                "tersely_memo_missed_total 4",
                "tersely_result_status_total{status=\"compressed\"} 2",
                "tersely_result_status_total{status=\"passthrough_small\"} 2",
                "tersely_stage_tokens_saved_total{stage=\"search\"} 100",
                "tersely_stage_tokens_added_total{stage=\"numbered\"} 20",
                "tersely_expansions_total{stage=\"search\"} 4",
                "tersely_expansion_tokens_total{stage=\"search\"} 60",
                "tersely_billed_tokens_total{provider=\"openai\",kind=\"input\"} 10",
                "tersely_billed_tokens_total{provider=\"openai\",kind=\"cache_read\"} 800",
                "tersely_round_tokens_total{provider=\"openai\",kind=\"input\"} 6",
                "tersely_cost_estimate_dollars_total{provider=\"openai\",kind=\"paid\"} 3.0",
                "tersely_cost_estimate_dollars_total{provider=\"openai\",kind=\"without\"} 4.0",
                "tersely_request_duration_seconds_count{provider=\"openai\"} 3",
            ],
        );
    }

    #[test]
    fn dropped_events_are_counted_once() {
        let metrics = Metrics::new(None);
        metrics.lost([("events", 2)]);
        metrics.lost([("events", 5)]);
        holds(&metrics.text(), &["tersely_events_dropped_total{sink=\"events\"} 5"]);
    }

    #[test]
    fn only_our_own_refusals_are_limits() {
        let metrics = Metrics::new(None);
        metrics.end(&event(429));
        metrics.end(&event(401));
        for status in [429, 401] {
            metrics.end(&RequestEvent { end: RequestEnd::Client, ..event(status) });
        }
        holds(&metrics.text(), &["tersely_rate_limited_total 1", "tersely_unauthorized_total 1"]);
    }

    #[test]
    fn a_stream_runs_until_it_is_dropped() {
        let metrics = Metrics::new(None);
        let (one, other) = (metrics.stream(), metrics.stream());
        drop(other);
        holds(&metrics.text(), &["tersely_streams_running 1"]);
        drop(one);
        holds(&metrics.text(), &["tersely_streams_running 0"]);
    }

    #[test]
    fn what_is_beside_requests_is_asked_for_each_time() {
        let store = StoreNumbers { hits: 3, took: Duration::from_millis(1500), ..StoreNumbers::default() };
        let numbers = SideNumbers {
            store: Some(store),
            compressor_calls: 7,
            compressor_tokens: 9,
            ..SideNumbers::default()
        };
        let metrics = Metrics::new(Some(Box::new(move || numbers)));
        holds(
            &metrics.text(),
            &[
                "tersely_compressor_calls_total 7",
                "tersely_compressor_tokens_total 9",
                "tersely_store_up 0",
                "tersely_store_calls_total{outcome=\"hit\"} 3",
                "tersely_store_call_seconds_total 1.5",
                concat!("tersely_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1"),
            ],
        );
    }

    /// Labels have a fixed set of values: the names of providers, stages and groups. A model's name comes from the
    /// client, so it is never a label.
    #[test]
    fn a_client_that_invents_names_makes_no_numbers() {
        let metrics = Metrics::new(None);
        let send = |range: std::ops::Range<u32>| {
            for n in range {
                let model = tersely_account::ShownName::of(&format!("model-{n}"));
                metrics.end(&RequestEvent { model, session: Some(n.into()), ..event(200) });
            }
            metrics.text().lines().filter(|line| line.starts_with("tersely_")).count()
        };
        assert_eq!(send(0..1), send(1..1_000));
    }

    #[test]
    fn no_histogram_grows_without_end() {
        let metrics = Metrics::new(None);
        let mut sizes = Vec::new();
        for round in 1..=3_u64 {
            for n in 0..20_000 {
                let took = Duration::from_nanos(1 + n * n * n * round);
                metrics.end(&RequestEvent { took, ..event(200) });
            }
            sizes.push(metrics.write(NumbersForm::Framed).len());
        }
        assert!(sizes[2] < sizes[0] + 200, "{sizes:?}");
    }
}

//! Token metrics of successful requests: our counts before and after compression, and the provider's usage.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use tersely_account::{RequestCost, StageSaving, TokenUsage};

use crate::event::RequestEvent;
use crate::metrics::family::{ByKind, ByProvider, ByStage, CounterFamily, counted, dollars, wide};

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByGroup {
    tool: &'static str,
    family: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByStatus {
    status: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByArm {
    arm: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ByBreak {
    cause: &'static str,
    owner: &'static str,
}

/// Metrics of requests that broke the provider's cache.
struct BreakMetrics {
    breaks: CounterFamily<ByBreak>,
    tokens: CounterFamily<ByBreak>,
}

/// Metrics of requests that were sent unchanged: their number, and the tokens that they would have had if compressed.
struct WouldMetrics {
    requests: CounterFamily<ByArm>,
    before: CounterFamily<ByArm>,
    after: CounterFamily<ByArm>,
}

/// Token metrics of successful requests.
pub(crate) struct TokenMetrics {
    results: CounterFamily<ByProvider>,
    changed: CounterFamily<ByProvider>,
    result_before: CounterFamily<ByProvider>,
    result_after: CounterFamily<ByProvider>,
    request_before: CounterFamily<ByProvider>,
    request_after: CounterFamily<ByProvider>,
    tool: CounterFamily<ByProvider>,
    groups: GroupMetrics,
    statuses: CounterFamily<ByStatus>,
    saved: CounterFamily<ByStage>,
    added: CounterFamily<ByStage>,
    expansions: CounterFamily<ByStage>,
    expanded: CounterFamily<ByStage>,
    would: WouldMetrics,
    breaks: BreakMetrics,
    bill: BillMetrics,
}

/// Token metrics by kind of tool and of text.
struct GroupMetrics {
    results: CounterFamily<ByGroup>,
    changed: CounterFamily<ByGroup>,
    before: CounterFamily<ByGroup>,
    after: CounterFamily<ByGroup>,
}

/// Metrics of the usage that providers report.
struct BillMetrics {
    billed: CounterFamily<ByKind>,
    rounds: CounterFamily<ByKind>,
    cost: Family<ByKind, Counter<f64, AtomicU64>>,
}

impl TokenMetrics {
    pub(crate) fn new(to: &mut Registry) -> Self {
        Self {
            results: counted(to, "results", "Tool results in requests"),
            changed: counted(to, "results_changed", "Tool results that were changed"),
            result_before: counted(to, "result_tokens_before", "Tokens in tool results, as received"),
            result_after: counted(to, "result_tokens_after", "Tokens in tool results, as sent"),
            request_before: counted(to, "request_tokens_before", "Tokens in whole requests, as received"),
            request_after: counted(to, "request_tokens_after", "Tokens in whole requests, as sent"),
            tool: counted(to, "tool_tokens", "Tokens in Tersely's own tool, included in whole requests"),
            groups: GroupMetrics::new(to),
            statuses: counted(to, "result_status", "New tool results, by outcome"),
            saved: counted(to, "stage_tokens_saved", "Tokens saved by each stage"),
            added: counted(to, "stage_tokens_added", "Tokens added by stages so that other stages save more"),
            expansions: counted(to, "expansions", "How often models fetched text that a stage had omitted"),
            expanded: counted(to, "expansion_tokens", "Tokens in text that models fetched back"),
            would: WouldMetrics::new(to),
            breaks: BreakMetrics::new(to),
            bill: BillMetrics::new(to),
        }
    }

    pub(crate) fn add(&self, of: &ByProvider, event: &RequestEvent) {
        let add = |family: &CounterFamily<ByProvider>, count| {
            family.get_or_create(of).inc_by(wide(count));
        };
        add(&self.results, event.record.slots);
        add(&self.changed, event.record.changed);
        add(&self.result_before, event.record.result_tokens.before);
        add(&self.result_after, event.record.result_tokens.after);
        add(&self.request_before, event.record.total_tokens().before);
        add(&self.request_after, event.record.total_tokens().after);
        add(&self.tool, event.record.tool_tokens);
        self.groups.add(event);
        for result in &event.record.fresh {
            self.statuses.get_or_create(&ByStatus { status: result.status.name() }).inc();
        }
        for StageSaving { stage, saved, .. } in &event.record.stages {
            let side = if *saved < 0 { &self.added } else { &self.saved };
            side.get_or_create(&ByStage { stage }).inc_by(saved.unsigned_abs());
        }
        for fetched in &event.record.fetched {
            let stage = ByStage { stage: fetched.stage };
            self.expansions.get_or_create(&stage).inc_by(fetched.calls);
            self.expanded.get_or_create(&stage).inc_by(fetched.tokens);
        }
        self.would.add(event);
        self.breaks.add(event);
        self.bill.add(of.provider, event);
    }
}

impl BreakMetrics {
    fn new(to: &mut Registry) -> Self {
        Self {
            breaks: counted(to, "cache_breaks", "Requests that missed the provider's prompt cache"),
            tokens: counted(to, "cache_break_tokens", "Tokens that the provider had to process again"),
        }
    }

    fn add(&self, event: &RequestEvent) {
        let Some(found) = &event.record.cache_break else { return };
        let of = ByBreak { cause: found.cause.name(), owner: found.owner.name() };
        self.breaks.get_or_create(&of).inc();
        self.tokens.get_or_create(&of).inc_by(found.lost.unwrap_or(0));
    }
}

impl WouldMetrics {
    fn new(to: &mut Registry) -> Self {
        Self {
            requests: counted(
                to,
                "untouched",
                "Requests sent unchanged because they are only observed or their session is held out",
            ),
            before: counted(to, "would_tokens_before", "Tokens in unchanged requests, after masking secrets"),
            after: counted(
                to,
                "would_tokens_after",
                "Tokens that unchanged requests would have had after compression",
            ),
        }
    }

    fn add(&self, event: &RequestEvent) {
        let Some(would) = &event.record.would else { return };
        let of = ByArm { arm: event.record.arm.name() };
        self.requests.get_or_create(&of).inc();
        self.before.get_or_create(&of).inc_by(wide(would.total_tokens().before));
        self.after.get_or_create(&of).inc_by(wide(would.total_tokens().after));
    }
}

impl GroupMetrics {
    fn new(to: &mut Registry) -> Self {
        Self {
            results: counted(to, "group_results", "Tool results, by kind of tool and family of text"),
            changed: counted(
                to,
                "group_results_changed",
                "Changed tool results, by kind of tool and family of text",
            ),
            before: counted(
                to,
                "group_tokens_before",
                "Tokens in tool results, by kind of tool and family of text, as received",
            ),
            after: counted(
                to,
                "group_tokens_after",
                "Tokens in tool results, by kind of tool and family of text, as sent",
            ),
        }
    }

    fn add(&self, event: &RequestEvent) {
        for sum in &event.record.groups {
            let of = ByGroup { tool: sum.group.tool, family: sum.group.family };
            for (family, count) in [
                (&self.results, sum.results),
                (&self.changed, sum.changed),
                (&self.before, sum.tokens.before),
                (&self.after, sum.tokens.after),
            ] {
                family.get_or_create(&of).inc_by(wide(count));
            }
        }
    }
}

impl BillMetrics {
    fn new(to: &mut Registry) -> Self {
        Self {
            billed: counted(
                to,
                "billed_tokens",
                "Tokens as counted by the provider; output includes reasoning",
            ),
            rounds: counted(
                to,
                "round_tokens",
                "Tokens as counted by the provider, for extra rounds that Tersely caused",
            ),
            cost: counted(
                to,
                "cost_estimate_dollars",
                "Estimated cost of requests at list prices, as sent and without Tersely",
            ),
        }
    }

    fn add(&self, provider: &'static str, event: &RequestEvent) {
        for (family, tokens) in
            [(&self.billed, event.record.usage), (&self.rounds, Some(event.record.rounds))]
        {
            for (kind, count) in tokens.map(kinds).into_iter().flatten().filter(|(_, count)| *count > 0) {
                family.get_or_create(&ByKind { provider, kind }).inc_by(count);
            }
        }
        let Some(RequestCost { paid, without }) = event.record.cost else { return };
        for (kind, cost) in [("paid", paid), ("without", without)] {
            self.cost.get_or_create(&ByKind { provider, kind }).inc_by(dollars(cost));
        }
    }
}

/// The counts of a usage, with their label values.
fn kinds(tokens: TokenUsage) -> [(&'static str, u64); 5] {
    let TokenUsage { input, cache_read, cache_write, output, reasoning, .. } = tokens;
    [
        ("input", input),
        ("cache_read", cache_read),
        ("cache_write", cache_write),
        ("output", output),
        ("reasoning", reasoning),
    ]
}

//! Turns a request into a span, following the OpenTelemetry conventions for generative AI.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::event::RequestEvent;
use crate::otel::call::{ModelCall, error_type};
use crate::otel::ids::SpanIds;
use crate::otel::message::{Attribute, OtelSpan, SpanStatus};
use tersely_account::{Arm, ShownName, TokenChange, TokenUsage};

/// Span kinds.
const SERVER: i32 = 2;
const CLIENT: i32 = 3;

/// The status code of a failed span.
const FAILED: i32 = 2;

/// Span flags: the trace is sampled; the parent is in another process.
const SAMPLED: u32 = 1;
const REMOTE: u32 = 0x300;

/// False when the caller's trace is not sampled.
pub(crate) fn is_recorded(event: &RequestEvent) -> bool {
    event.trace.is_none_or(|trace| trace.is_sampled)
}

/// The span of a request; `None` if its trace is not sampled.
pub(crate) fn span(ids: &SpanIds, event: &RequestEvent) -> Option<OtelSpan> {
    if !is_recorded(event) {
        return None;
    }
    let call = ModelCall::of(event);
    let model = event.model.as_ref().map(ShownName::as_str);
    let name = match (&call, model) {
        (Some(call), Some(model)) => format!("{} {model}", call.operation),
        _ => event.verb.name().to_owned(),
    };
    let start = nanos(event.at);
    Some(OtelSpan {
        trace_id: event.trace.map_or_else(|| ids.trace(event.id), |it| it.trace).to_be_bytes().to_vec(),
        id: ids.span(event.id).to_be_bytes().to_vec(),
        parent_span_id: event.trace.map(|it| it.parent.to_be_bytes().to_vec()).unwrap_or_default(),
        name,
        kind: if call.is_some() { CLIENT } else { SERVER },
        start,
        // The clock may have been set during the request, so the end is computed from the duration, which does not
        // depend on the clock.
        end: start.saturating_add(whole_nanos(event.took)),
        attributes: attributes(event, call.as_ref()),
        status: error_type(event).map(|_| SpanStatus { code: FAILED }),
        flags: SAMPLED | if event.trace.is_some() { REMOTE } else { 0 },
    })
}

fn attributes(event: &RequestEvent, call: Option<&ModelCall>) -> Vec<Attribute> {
    let mut all = vec![
        Attribute::text("http.request.method", event.verb.name()),
        Attribute::text("tersely.request.id", format!("{:x}", event.id)),
        Attribute::text("tersely.end", event.end.name()),
    ];
    if let Some(call) = call {
        all.extend(call.attributes());
        all.extend(event.session.map(|it| Attribute::text("gen_ai.conversation.id", format!("{it:016x}"))));
    }
    all.extend(status(event.status).map(|status| Attribute::whole("http.response.status_code", status)));
    all.extend(error_type(event).map(|error| Attribute::text("error.type", error)));
    all.extend(event.client.map(|client| Attribute::text("tersely.client", client)));
    for (key, name) in [
        ("tersely.tenant", &event.attribution.tenant),
        ("tersely.key", &event.attribution.key),
        ("tersely.project", &event.attribution.project),
    ] {
        all.extend(name.as_ref().map(|name| Attribute::text(key, name.as_str())));
    }
    all.extend(
        (event.record.arm != Arm::Applied).then(|| Attribute::text("tersely.arm", event.record.arm.name())),
    );
    all.extend(event.missed.map(|missed| Attribute::text("tersely.missed", missed)));
    all.extend(event.upstream.map(|it| Attribute::float("tersely.upstream.duration", it.as_secs_f64())));
    all.extend(event.ours.map(|it| Attribute::float("tersely.rewrite.duration", it.as_secs_f64())));
    if event.is_success() {
        all.extend(event.record.usage.filter(|_| call.is_some()).map(usage).into_iter().flatten());
        all.extend(saved(event));
    }
    for (key, count) in
        [("tersely.faults", event.record.faults), ("tersely.secrets.masked", event.record.redacted)]
    {
        all.extend((count > 0).then(|| Attribute::whole(key, wide(count))));
    }
    all
}

/// The response status; 0 means that no response was sent.
fn status(status: u16) -> Option<u64> {
    (status > 0).then(|| status.into())
}

/// The provider's usage. Cache reads and writes count as input too.
fn usage(tokens: TokenUsage) -> Vec<Attribute> {
    let some = [
        ("gen_ai.usage.cache_read.input_tokens", tokens.cache_read),
        ("gen_ai.usage.cache_write.input_tokens", tokens.cache_write),
        // The name that it had until 2026; dashboards still ask for it.
        ("gen_ai.usage.cache_creation.input_tokens", tokens.cache_write),
        ("gen_ai.usage.reasoning.output_tokens", tokens.reasoning),
    ];
    let all = [
        Attribute::whole("gen_ai.usage.input_tokens", tokens.read()),
        Attribute::whole("gen_ai.usage.output_tokens", tokens.output),
    ];
    let some = some.into_iter().filter(|(_, count)| *count > 0);
    all.into_iter().chain(some.map(|(key, count)| Attribute::whole(key, count))).collect()
}

/// Tokens saved, by our own count.
fn saved(event: &RequestEvent) -> Vec<Attribute> {
    let mut all = Vec::new();
    let mut change = |keys: [&str; 2], TokenChange { before, after }| {
        if before > 0 {
            all.push(Attribute::whole(keys[0], wide(before)));
            all.push(Attribute::whole(keys[1], wide(after)));
        }
    };
    change(["tersely.request.tokens.before", "tersely.request.tokens.after"], event.record.total_tokens());
    change(["tersely.result.tokens.before", "tersely.result.tokens.after"], event.record.result_tokens);
    if let Some(would) = &event.record.would {
        change(["tersely.would.tokens.before", "tersely.would.tokens.after"], would.total_tokens());
    }
    if event.record.slots > 0 {
        all.push(Attribute::whole("tersely.results", wide(event.record.slots)));
        all.push(Attribute::whole("tersely.results.changed", wide(event.record.changed)));
    }
    all
}

/// Nanoseconds since 1970; 0 if the clock is set earlier.
pub(crate) fn nanos(at: SystemTime) -> u64 {
    whole_nanos(at.duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn whole_nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

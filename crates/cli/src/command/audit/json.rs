//! Renders an audit as JSON.

use serde_json::{Map, Value, json};
use tersely_account::BreakCause;
use tersely_audit::{AuditSum, BreakSum, CauseSum, DearBreak, ReducedBill};

use super::wording::{AuditWords, day, share};

/// The whole audit as one JSON object.
pub(super) fn object(said: &AuditWords<'_>) -> String {
    let summary = said.summary;
    let named = |rows: &[(String, AuditSum)]| {
        rows.iter().map(|(name, it)| (name.clone(), sum(it))).collect::<Map<_, _>>()
    };
    let errors = said.errors();
    json!({
        "total": sum(&summary.all),
        "clients": named(&summary.clients),
        "models": named(&summary.models),
        "projects": named(&summary.projects),
        "days": summary.days.iter().map(|(number, it)| (day(*number), sum(it))).collect::<Map<_, _>>(),
        "simulation_error_percent": {
            "times_and_texts": errors.map(|it| it[0]), "but_for_broken_prefixes": errors.map(|it| it[1]),
        },
        "most_expensive": summary.costly.iter().map(|it| json!({
            "tool": it.tool, "about": it.about, "tokens": it.tokens, "requests": it.requests, "dollars": it.dollars,
        })).collect::<Vec<_>>(),
        "reads": summary.reads.iter().map(|it| json!({ "file": it.file, "reads": it.reads, "tokens": it.tokens })).collect::<Vec<_>>(),
        "cache": {
            "expired": lost(summary.expired), "broken": lost(summary.broken),
            "causes": summary.causes.iter().map(cause).collect::<Vec<_>>(),
            "most_expensive": summary.breaks.iter().map(dear).collect::<Vec<_>>(),
        },
        "unused_tools": summary.unused.iter().map(|it| json!({ "tool": it.tool, "tokens": it.tokens, "requests": it.requests })).collect::<Vec<_>>(),
        "stages": summary.stages.iter().map(|(stage, saved)| ((*stage).to_owned(), Value::from(*saved))).collect::<Map<_, _>>(),
        "prices": said.date,
        "unread": { "lines": said.findings.lines, "foreign_files": said.findings.foreign, "faults": said.findings.faults },
    })
    .to_string()
}

fn sum(sum: &AuditSum) -> Value {
    let billed = sum.bill.billed;
    let saved =
        |it: ReducedBill| json!({ "tokens": it.tokens, "dollars": it.dollars, "percent": share(sum, it) });
    let [came, exact, standard] = sum.result_tokens;
    json!({
        "conversations": sum.conversations, "requests": sum.requests, "counted": sum.counted, "results": sum.results,
        "result_tokens": { "came": came, "exact": exact, "standard": standard },
        "billed": {
            "input": billed.input, "cache_read": billed.cache_read, "cache_write": billed.cache_write,
            "output": billed.output, "reasoning": billed.reasoning,
        },
        "paid": sum.bill.paid,
        "saved": { "exact": saved(sum.exact), "standard": saved(sum.standard) },
    })
}

fn lost(sum: BreakSum) -> Value {
    json!({ "requests": sum.requests, "tokens": sum.tokens, "dollars": sum.dollars })
}

fn cause(it: &CauseSum) -> Value {
    json!({
        "cause": it.cause.name(), "provider_says": it.diagnosis, "requests": it.sum.requests,
        "tokens": it.sum.tokens, "dollars": it.sum.dollars,
    })
}

fn dear(it: &DearBreak) -> Value {
    let (lost, found) = (&it.lost, &it.lost.found);
    // Who compacted a conversation or changed what no file shows is not known.
    let owner = !matches!(found.cause, BreakCause::Compacted | BreakCause::Unknown);
    json!({
        "client": it.client, "session": it.session, "request": lost.request,
        "cause": found.cause.name(), "why": found.to_string(), "owner": owner.then(|| found.owner.name()),
        "server": found.server.as_ref().map(ToString::to_string), "idle_minutes": lost.idle,
        "provider_says": lost.diagnosis.as_ref().map(|it| it.reason.as_str()),
        "tokens": lost.tokens, "dollars": lost.dollars,
    })
}

//! Renders a history as JSON, for `/stats`, the dashboard and scripts.

use serde_json::{Map, Value, json};
use tersely_account::{LimitUse, PromptBreak, RequestSums, ShownName};
use tersely_proof::{GroupMean, LEVEL};

use crate::breaks::BreakTotal;
use crate::error::HistoryError;
use crate::holdout::{HoldoutMeasure, HoldoutReport};
use crate::hours::{FailureSum, HourSums};
use crate::limits::{SeenLimit, SessionLimit};
use crate::read::{HistoryParts, HistoryPeriod, HistoryView};
use crate::requests::{SeenRequest, SeenResult, SeenSession};
use crate::sums::{GroupSums, StageSums};

/// Version of the format; it changes when a field changes its meaning.
const VERSION: u32 = 1;

/// Number of days in the chart.
const DAYS: usize = 90;

/// Number of requests and of conversations listed.
const REQUESTS: usize = 60;
const SESSIONS: usize = 20;

/// Number of requests that are searched for the conversations that cost most.
const COSTLY_REQUESTS: usize = 20_000;

/// Maximum number of turns shown of one conversation.
const TURNS: usize = 200;

/// Nanodollars in a dollar.
const BILLION: f64 = 1e9;

impl HistoryView {
    /// Totals by period, by part, by day and by hour.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn summary(&self) -> Result<Map<String, Value>, HistoryError> {
        let mut periods = Map::new();
        for period in HistoryPeriod::ALL {
            let mut one = sums(&self.sums(period)?);
            one.extend(parts(&self.parts(period)?));
            periods.insert(period.name().to_owned(), one.into());
        }
        let days = self.days(DAYS)?;
        let days = days.iter().map(|(day, it)| named("day", day, sums(it))).collect::<Vec<_>>();
        let hours = self.hours()?.iter().map(hour).collect::<Vec<_>>();
        let failures = self.failures()?.iter().map(failure).collect::<Vec<_>>();
        let waits = self.waits()?;
        let wait = |[half, most]: [u64; 2]| json!({ "p50_us": half, "p95_us": most });
        let waits = json!({
            "request": wait(waits.took), "upstream": wait(waits.upstream), "rewrite": wait(waits.ours),
        });
        Ok(Map::from_iter([
            ("version".to_owned(), json!(VERSION)),
            (
                "money_is".to_owned(),
                json!("an estimate: the tokens that Tersely removed, at the model's list price"),
            ),
            ("periods".to_owned(), periods.into()),
            ("limits".to_owned(), self.limits()?.iter().map(seen_limit).collect::<Vec<_>>().into()),
            ("holdout".to_owned(), self.holdout()?.as_ref().map_or(Value::Null, holdout)),
            ("days".to_owned(), days.into()),
            ("hours".to_owned(), hours.into()),
            ("failures".to_owned(), failures.into()),
            ("latency".to_owned(), waits),
        ]))
    }

    /// The requests of a conversation with the reasons why its cache was broken, and all breaks by owner.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn cache_report(&self, session: u64) -> Result<Map<String, Value>, HistoryError> {
        let turns = self.turns(session, REQUESTS)?.iter().map(request).collect::<Vec<_>>();
        let sums = |sums: Vec<BreakTotal>| sums.iter().map(break_sum).collect::<Vec<_>>();
        Ok(Map::from_iter([
            ("version".to_owned(), json!(VERSION)),
            ("session".to_owned(), json!(hex(session))),
            ("requests".to_owned(), turns.into()),
            ("by_owner".to_owned(), sums(self.breaks(Some(session))?).into()),
            ("all_by_owner".to_owned(), sums(self.breaks(None)?).into()),
        ]))
    }

    /// The latest requests and conversations.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn activity(&self) -> Result<Map<String, Value>, HistoryError> {
        let requests = self.recent(REQUESTS)?.iter().map(request).collect::<Vec<_>>();
        let mut all = self.latest_sessions()?;
        all.insert("requests".to_owned(), requests.into());
        Ok(all)
    }

    /// The latest conversations, and those that cost most.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn latest_sessions(&self) -> Result<Map<String, Value>, HistoryError> {
        let sessions = self.sessions(SESSIONS)?.iter().map(session).collect::<Vec<_>>();
        let costly = self.costly_sessions(COSTLY_REQUESTS, SESSIONS)?.iter().map(session).collect::<Vec<_>>();
        Ok(Map::from_iter([
            ("sessions".to_owned(), sessions.into()),
            ("costly_sessions".to_owned(), costly.into()),
        ]))
    }

    /// The turns of a conversation.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn conversation(&self, session: u64) -> Result<Value, HistoryError> {
        let turns = self.turns(session, TURNS)?;
        Ok(json!({ "session": hex(session), "turns": turns.iter().map(request).collect::<Vec<_>>() }))
    }
}

fn hour(hour: &HourSums) -> Value {
    json!({
        "at": hour.at, "before": hour.before, "after": hour.after, "requests": hour.requests, "failed": hour.failed,
    })
}

fn failure(failure: &FailureSum) -> Value {
    json!({ "status": failure.status, "end": failure.ended, "requests": failure.requests })
}

/// Totals as JSON.
pub(crate) fn sums(sums: &RequestSums) -> Map<String, Value> {
    Map::from_iter(
        [
            ("requests", json!(sums.requests)),
            ("failed", json!(sums.failed)),
            ("results", json!(sums.results)),
            ("changed", json!(sums.changed)),
            ("tokens_before", json!(sums.before)),
            ("tokens_after", json!(sums.after)),
            ("tokens_fetched", json!(sums.fetched)),
            ("tokens_saved", json!(sums.saved())),
            ("billed_input", json!(sums.usage.input)),
            ("billed_cache_read", json!(sums.usage.cache_read)),
            ("billed_cache_write", json!(sums.usage.cache_write)),
            ("billed_output", json!(sums.usage.output)),
            ("priced_requests", json!(sums.priced)),
            ("usd_paid", dollars(i128::from(sums.cost.paid))),
            ("usd_without", dollars(i128::from(sums.cost.without))),
            ("usd_saved", dollars(i128::from(sums.money()))),
            ("untouched_requests", json!(sums.would.requests)),
            ("would_tokens_before", json!(sums.would.before)),
            ("would_tokens_after", json!(sums.would.after)),
            ("would_tokens_saved", json!(sums.would.saved())),
            ("would_usd_saved", dollars(i128::from(sums.would.money))),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    )
}

fn parts(parts: &HistoryParts) -> Map<String, Value> {
    let by = |list: &[(String, RequestSums)]| -> Value {
        list.iter().map(|(name, it)| named("name", name, sums(it))).collect::<Vec<_>>().into()
    };
    let tools = parts.groups.iter().map(|([tool, family], it)| {
        let GroupSums { results, changed, before, after } = it;
        json!({
            "tool": tool, "family": family, "results": results, "changed": changed,
            "tokens_before": before, "tokens_after": after, "tokens_saved": it.saved(),
        })
    });
    let stages = parts.stages.iter().map(|(stage, StageSums { saved, calls, fetched })| {
        json!({ "stage": stage, "tokens_saved": saved, "fetch_calls": calls, "tokens_fetched": fetched })
    });
    Map::from_iter([
        ("clients".to_owned(), by(&parts.clients)),
        ("tenants".to_owned(), by(&parts.tenants)),
        ("projects".to_owned(), by(&parts.projects)),
        ("models".to_owned(), by(&parts.models)),
        ("tools".to_owned(), tools.collect::<Vec<_>>().into()),
        ("stages".to_owned(), stages.collect::<Vec<_>>().into()),
    ])
}

fn named(key: &str, name: &str, rest: Map<String, Value>) -> Value {
    let mut all = Map::from_iter([(key.to_owned(), json!(name))]);
    all.extend(rest);
    all.into()
}

fn holdout(report: &HoldoutReport) -> Value {
    let measures = report.measures.iter().map(|HoldoutMeasure { kind, compared }| {
        let group = |GroupMean { sessions, mean }: GroupMean| json!({ "sessions": sessions, "mean": mean });
        json!({
            "name": kind.name(),
            "cap": compared.cap,
            "capped_sessions": compared.capped,
            "treated": group(compared.treated),
            "held_out": group(compared.held),
            "difference": compared.gap.map(|gap| gap.difference),
            "low": compared.gap.map(|gap| gap.low),
            "high": compared.gap.map(|gap| gap.high),
            "clear": compared.gap.is_some_and(|gap| gap.is_clear()),
            "more_sessions": compared.more,
            "more_sessions_for_a_tenth": compared.tenth,
        })
    });
    json!({
        "share": report.share.to_string(),
        "of": if report.is_clearing { "clear" } else { "all" },
        "level": LEVEL,
        "treated": report.treated,
        "held_out": report.held,
        "running": report.running,
        "mixed": report.mixed,
        "unpriced": report.unpriced,
        "shared": report.shared,
        "measures": measures.collect::<Vec<_>>(),
    })
}

fn request(request: &SeenRequest) -> Value {
    let [before, after, fetched] = request.tokens;
    json!({
        "id": request.id,
        "at": request.at,
        "client": request.client,
        "tenant": request.whose[0],
        "key": request.whose[1],
        "project": request.project,
        "provider": request.provider,
        "model": request.model,
        "session": request.session.map(hex),
        "status": request.status,
        "end": request.ended,
        "missed": request.missed,
        "duration_us": request.took,
        "rewrite_us": request.ours,
        "results": request.results[0],
        "changed": request.results[1],
        "masked": request.redacted,
        "tokens_before": before,
        "tokens_after": after,
        "tokens_fetched": fetched,
        "billed": request.billed.map(|it| json!({
            "input": it.input, "cache_read": it.cache_read, "cache_write": it.cache_write, "output": it.output,
        })),
        "usd": request.cost.map(|[paid, full]| json!({
            "paid": dollars(paid.into()), "without": dollars(full.into()),
        })),
        "arm": request.arm,
        "would_tokens_after": request.would,
        "cache_break": request.cache_break.as_ref().map(cache_break),
        "conversation": request.prompt.conversation,
        "cache_diagnosis": request.prompt.diagnosis.as_ref().map(|it| json!({
            "says": it.to_string(), "reason": it.reason.as_str(), "tokens": it.tokens,
        })),
        "limits": request.limits.iter().map(limit).collect::<Vec<_>>(),
        "fresh": request.fresh.iter().map(result).collect::<Vec<_>>(),
    })
}

/// Why a prompt was not read from the cache, in our words and in its parts.
fn cache_break(found: &PromptBreak) -> Value {
    json!({
        "why": found.to_string(), "cause": found.cause.name(), "place": found.place, "line": found.line,
        "tool": found.tool.as_ref().map(ShownName::as_str), "owner": found.owner.name(),
        "server": found.server.as_ref().map(ShownName::as_str), "lost_tokens": found.lost,
        "usd": found.cost.map(|cost| dollars(cost.into())),
    })
}

fn break_sum(sum: &BreakTotal) -> Value {
    json!({
        "owner": sum.owner.name(), "server": sum.server, "cause": sum.cause.name(), "breaks": sum.breaks,
        "lost_tokens": sum.lost, "usd": dollars(sum.cost.into()),
    })
}

fn result(result: &SeenResult) -> Value {
    let ([tool, family], [before, after]) = (&result.group, result.tokens);
    json!({
        "tool": result.tool.as_ref().unwrap_or(tool), "kind": tool, "family": family, "status": result.status,
        "stages": result.stages, "tokens_before": before, "tokens_after": after,
    })
}

fn session(session: &SeenSession) -> Value {
    let ([client, project, model, tenant], [first, last]) = (&session.whose, session.at);
    let ([before, after, fetched], [input, cache_read, cache_write]) = (session.tokens, session.cache);
    json!({
        "session": hex(session.session), "first": first, "last": last, "turns": session.turns,
        "client": client, "project": project, "model": model, "tenant": tenant, "failed": session.failed,
        "usd": { "paid": dollars(session.cost[0].into()), "without": dollars(session.cost[1].into()) },
        "tokens_before": before, "tokens_after": after, "tokens_fetched": fetched,
        "billed_input": input, "billed_cache_read": cache_read, "billed_cache_write": cache_write,
        "limits": session.limits.iter().map(session_limit).collect::<Vec<_>>(),
    })
}

fn limit(limit: &LimitUse) -> Value {
    json!({
        "name": limit.kind.to_string(), "used_pct": percent(limit.used), "resets": limit.resets,
        "state": limit.state.name(),
    })
}

fn seen_limit(seen: &SeenLimit) -> Value {
    json!({
        "name": seen.limit.kind.to_string(), "used_pct": percent(seen.limit.used), "resets": seen.limit.resets,
        "at": seen.at,
    })
}

/// What a session used of a window. `shared`: others used the account in between, so the points are an upper bound.
fn session_limit(limit: &SessionLimit) -> Value {
    json!({
        "name": limit.rise.latest.kind.to_string(), "used_pct": percent(limit.rise.latest.used),
        "resets": limit.rise.latest.resets, "points": percent(limit.rise.risen), "shared": limit.is_shared,
    })
}

fn percent(hundredths: u32) -> f64 {
    f64::from(hundredths) / 100.0
}

/// Formats a session hash in hexadecimal, because JavaScript numbers cannot represent 64 bits exactly.
pub(crate) fn hex(session: u64) -> String {
    format!("{session:016x}")
}

#[expect(clippy::cast_precision_loss, reason = "a sum of money needs no more than fifteen digits")]
pub(crate) fn dollars(billionths: i128) -> Value {
    json!(billionths as f64 / BILLION)
}

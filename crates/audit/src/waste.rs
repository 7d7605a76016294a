//! Finds costs that Tersely cannot reduce: repeated reads, cache misses and unused tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tersely_account::{CacheDiagnosis, Money, Price, PromptBreak, TokenUsage};
use tersely_core::O200k;

use crate::bill::{BilledTurns, is_kept, lasting};
use crate::cause::cause;
use crate::estimate::TokenEstimate;
use crate::recording::{RecordedTurn, Recording};

/// A tool result, and its cost over all requests that contained it.
#[derive(Debug, Clone, PartialEq)]
pub struct CostlyResult {
    /// The name of the tool.
    pub tool: String,
    /// The command or file in the tool call.
    pub about: String,
    /// The number of tokens in the result.
    pub tokens: u64,
    /// The number of requests that contained the result.
    pub requests: usize,
    /// The cost over all those requests, in dollars.
    pub dollars: f64,
}

/// A file that was read more than once in one conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct FileReads {
    /// The path of the file.
    pub file: String,
    /// The number of reads.
    pub reads: usize,
    /// The number of tokens of all reads except the first.
    pub tokens: u64,
}

/// A request that read less from the cache than the previous request left there.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheBreak {
    /// The number of the request, counted from 1.
    pub request: usize,
    /// Minutes since the previous request, if the cache expired.
    pub idle: Option<u64>,
    /// The cause, as far as the file shows it.
    pub found: PromptBreak,
    /// What the provider itself says.
    pub diagnosis: Option<CacheDiagnosis>,
    /// The number of tokens that were paid for again.
    pub tokens: u64,
    /// The cost of those tokens, in dollars.
    pub dollars: f64,
}

/// A tool that every request defined but the model never called.
#[derive(Debug, Clone, PartialEq)]
pub struct UnusedTool {
    /// The name of the tool.
    pub tool: String,
    /// The number of tokens of the tool's definition.
    pub tokens: u64,
    /// The number of requests that contained the definition.
    pub requests: usize,
}

/// The minimum number of tokens of a finding.
const MIN_TOKENS: u64 = 2_048;

/// The cost of each result: its first request pays for new input, each later one for a cache read.
pub(crate) fn costly(weighed: &TokenEstimate, turns: &BilledTurns<'_>, price: &Price) -> Vec<CostlyResult> {
    let billed = turns.billed();
    let cost = |result: &crate::estimate::ResultEstimate| {
        let tokens = turns.fit.scaled(wide(result.tokens.before));
        let carried = turns.turns.iter().zip(&billed).filter(|(turn, _)| turn.messages > result.message);
        let rates: Vec<_> = carried.map(|(_, billed)| price.rates(billed.read())).collect();
        let requests = rates.len();
        let written = rates.iter().take(1).map(|rates| rates.cache_write.max(rates.input));
        let read = rates.iter().skip(1).map(|rates| rates.cache_read);
        let dollars = written.chain(read).map(|rate| Money::of(tokens, rate)).sum::<Money>().dollars();
        CostlyResult { tool: result.tool.clone(), about: result.about.clone(), tokens, requests, dollars }
    };
    let mut all: Vec<_> = weighed.results.iter().map(cost).collect();
    all.sort_by(|a, b| b.dollars.total_cmp(&a.dollars));
    all.truncate(10);
    all
}

/// Files read more than once.
pub(crate) fn reads(weighed: &TokenEstimate, turns: &BilledTurns<'_>) -> Vec<FileReads> {
    let mut files: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for result in &weighed.results {
        let call = tersely_core::Call { tool: &result.tool, ..tersely_core::Call::default() };
        if call.tool_kind() == tersely_core::ToolKind::Read && !result.about.is_empty() {
            let (reads, tokens) = files.entry(&result.about).or_default();
            if *reads > 0 {
                *tokens += turns.fit.scaled(wide(result.tokens.before));
            }
            *reads += 1;
        }
    }
    let again = files.into_iter().filter(|(_, (reads, _))| *reads > 1);
    again.map(|(file, (reads, tokens))| FileReads { file: file.to_owned(), reads, tokens }).collect()
}

/// Requests that read less than half of the cached prompt. The cost is that of the tokens that were read at full price
/// instead. `compacted` is the last request before a compaction.
pub(crate) fn breaks(
    turns: &BilledTurns<'_>,
    compacted: Option<&RecordedTurn>,
    price: &Price,
) -> Vec<CacheBreak> {
    let first = compacted.zip(turns.turns.first()).and_then(|(past, next)| missed(past, next, price));
    let mut all: Vec<_> = first.map(|found| CacheBreak { request: 1, ..found }).into_iter().collect();
    for (at, pair) in turns.turns.windows(2).enumerate() {
        let [past, next] = pair else { continue };
        if is_kept(past, next) && !turns.is_broken(at + 1) {
            continue;
        }
        all.extend(missed(past, next, price).map(|found| CacheBreak { request: at + 2, ..found }));
    }
    all
}

/// What `next` paid again of what `past` left in the cache; `None` if that is little.
fn missed(past: &RecordedTurn, next: &RecordedTurn, price: &Price) -> Option<CacheBreak> {
    let (left, found) = (past.billed?, next.billed?);
    let lost = left.read().min(found.read()).saturating_sub(found.cache_read);
    if lost < MIN_TOKENS {
        return None;
    }
    let again = TokenUsage {
        cache_write: found.cache_write.min(lost),
        input: lost.saturating_sub(found.cache_write),
        ..TokenUsage::default()
    };
    let cached = TokenUsage { cache_read: lost, ..TokenUsage::default() };
    let rates = price.rates(found.read());
    let dollars = (rates.cost(&lasting(next, again)) - rates.cost(&cached)).dollars();
    let minutes = past.at.zip(next.at).map(|(past, next)| (next - past) / 60_000);
    let idle = minutes.filter(|_| !is_kept(past, next)).and_then(|minutes| u64::try_from(minutes).ok());
    Some(CacheBreak {
        request: 0,
        idle,
        found: cause(past, next),
        diagnosis: next.shown.diagnosis.clone(),
        tokens: lost,
        dollars: dollars.max(0.0),
    })
}

/// The tools that were defined but not called.
pub(crate) fn unused(recording: &Recording, called: &BTreeSet<String>) -> Vec<UnusedTool> {
    let tools = recording.head.tools.iter().flat_map(named);
    let unused = tools.filter(|(name, _)| !called.contains(*name));
    let requests = recording.turns.len();
    unused
        .map(|(name, tool)| UnusedTool {
            tool: name.to_owned(),
            tokens: wide(O200k.count(&tool.to_string())),
            requests,
        })
        .collect()
}

/// The names and definitions in a tool entry, which may contain several.
fn named(tool: &Value) -> Vec<(&str, &Value)> {
    if let Some(many) = tool["functionDeclarations"].as_array() {
        return many.iter().filter_map(|tool| Some((tool["name"].as_str()?, tool))).collect();
    }
    let name = tool["name"].as_str().or_else(|| tool["function"]["name"].as_str());
    name.map(|name| (name, tool)).into_iter().collect()
}

pub(crate) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

//! Writes the response of `/v1/compress`: the messages, and statistics about them.

use serde_json::{Map, Value, json};
use tersely_account::TokenChange;
use tersely_engine::{KeptOriginal, Report};
use tersely_wire::LoneMessages;

use crate::llm::compress::question::CompressQuestion;
use crate::llm::entry::RequestEntry;

/// The compressed messages.
pub struct LoneAnswer {
    /// A request body that contains only the messages, their model and their tools.
    pub(crate) body: Vec<u8>,
    /// The token counts of the messages; zero if they were not counted.
    pub(crate) tally: TokenChange,
    /// The stages that changed something.
    pub(crate) stages: Vec<&'static str>,
    /// The texts left out of the messages.
    pub(crate) kept: Vec<KeptOriginal>,
    /// The record of the request.
    pub(crate) entry: RequestEntry,
}

impl LoneAnswer {
    /// Creates the result of compressing a body.
    pub(crate) fn new(body: Vec<u8>, report: &Report, kept: Vec<KeptOriginal>, entry: RequestEntry) -> Self {
        let tally = report.record.total_tokens();
        let stages = report.record.stages.iter().map(|saving| saving.stage).collect();
        Self { body, tally, stages, kept, entry }
    }
}

/// The response as JSON: the compressed messages, and statistics about them.
pub(crate) fn write(question: &CompressQuestion, answer: &LoneAnswer) -> Vec<u8> {
    let came = question.as_sent();
    // Our own output can always be parsed; if not, the original messages are returned.
    let now = LoneMessages::of(question.provider, &answer.body).unwrap_or(came);
    let tools = now.tools.filter(|tools| came.tools != Some(*tools));
    let TokenChange { before, after } = answer.tally;
    let ids: Vec<_> = answer.kept.iter().map(|kept| kept.id.as_str()).collect();
    let numbers = json!({
        "tokens_before": before,
        "tokens_after": after,
        "tokens_saved": before.saturating_sub(after),
        "compression_ratio": ratio(before, after),
        "transforms_applied": answer.stages,
        "ccr_hashes": ids,
        "ignored": question.ignored,
    });
    join_members(now.messages, tools, numbers)
}

/// The response if compression failed: the original messages.
pub(crate) fn write_unchanged(question: &CompressQuestion) -> Vec<u8> {
    let numbers = json!({
        "tokens_before": 0,
        "tokens_after": 0,
        "tokens_saved": 0,
        "compression_ratio": 1.0,
        "transforms_applied": [],
        "ccr_hashes": [],
        "ignored": question.ignored,
    });
    join_members(question.as_sent().messages, None, numbers)
}

/// The size after compression, relative to the size before.
#[expect(clippy::cast_precision_loss, reason = "a ratio for people, of numbers far below 2^52")]
fn ratio(before: usize, after: usize) -> f64 {
    if before == 0 { 1.0 } else { (after as f64 / before as f64 * 10_000.0).round() / 10_000.0 }
}

fn join_members(messages: &[u8], tools: Option<&[u8]>, numbers: Value) -> Vec<u8> {
    let mut text = [b"{\"messages\":", messages].concat();
    if let Some(tools) = tools {
        text.extend([b",\"tools\":", tools].concat());
    }
    let numbers: Map<String, Value> = if let Value::Object(numbers) = numbers { numbers } else { Map::new() };
    for (name, value) in numbers {
        text.extend(format!(",\"{name}\":{value}").into_bytes());
    }
    text.push(b'}');
    text
}

//! Estimates the tokens of a conversation, original and compressed.
//!
//! The compressed form of a message depends only on that message and the ones before it. So one pass over the last
//! request covers all earlier requests.

use serde_json::Value;
use tersely_account::TokenChange;
use tersely_engine::{Engine, Request};
use tersely_wire::claimed_provider;

use crate::count::weigh;
use crate::recording::Recording;

/// The tokens of a conversation, by our count.
#[derive(Debug, Default)]
pub(crate) struct TokenEstimate {
    /// Running totals: the sum of all earlier messages for each message, then the total.
    sums: Vec<TokenChange>,
    /// The estimate of each tool result.
    pub(crate) results: Vec<ResultEstimate>,
    /// The tokens of our own tool, which is in each request.
    pub(crate) tool: usize,
    /// The tokens that each stage saved.
    pub(crate) stages: Vec<(&'static str, i64)>,
}

/// The estimate of a tool result.
#[derive(Debug)]
pub(crate) struct ResultEstimate {
    /// The index of the message that contains the result.
    pub(crate) message: usize,
    /// The name of the tool.
    pub(crate) tool: String,
    /// The command or file in the tool call.
    pub(crate) about: String,
    pub(crate) tokens: TokenChange,
}

impl TokenEstimate {
    /// Estimates a conversation from the token counts of its messages and of the part of its requests in front of them.
    /// `None` if it cannot be parsed.
    pub(crate) fn of(engine: &Engine, recording: &Recording, counted: &[usize], head: usize) -> Option<Self> {
        let body = recording.body(head);
        let path = recording.shape.path();
        let provider = claimed_provider(path)?;
        let record = engine.pass(&Request::new(provider, path), &body.bytes).ok()?.report.record;
        let slots = provider.slots(&body.bytes).ok()?;
        let mut messages: Vec<_> = counted.iter().copied().map(TokenChange::unchanged).collect();
        let mut results = Vec::with_capacity(slots.len());
        for (slot, result) in slots.iter().zip(&record.results) {
            let message = body.spans.partition_point(|span| span.end <= slot.span.start);
            let tokens = result.tokens;
            if let Some(weight) = messages.get_mut(message) {
                weight.after = weight.after.saturating_sub(tokens.before.saturating_sub(tokens.after));
            }
            let (tool, id) = (slot.call.tool.to_string(), &*slot.call.id);
            let about = slot.call.command.as_deref().map(str::to_owned);
            let about = about.unwrap_or_else(|| asked(recording, message, id));
            let about = within(recording.project.as_deref(), about);
            results.push(ResultEstimate { message, tool, about, tokens });
        }
        let stages = record.stages.iter().map(|saving| (saving.stage, saving.saved)).collect();
        Some(Self { sums: sums(&messages), results, tool: record.tool_tokens, stages })
    }

    /// The tokens of the first `messages` messages.
    pub(crate) fn sum(&self, messages: usize) -> TokenChange {
        self.sums.get(messages).or(self.sums.last()).copied().unwrap_or_default()
    }
}

/// The tokens of each message, uncompressed.
pub(crate) fn counted(recording: &Recording) -> Vec<usize> {
    recording.messages.iter().map(|message| weigh(message.to_string().as_bytes())).collect()
}

fn sums(messages: &[TokenChange]) -> Vec<TokenChange> {
    let mut sum = TokenChange::default();
    let next = |it: &TokenChange| {
        sum += *it;
        sum
    };
    [TokenChange::default()].into_iter().chain(messages.iter().map(next)).collect()
}

/// Makes a path relative to the project.
fn within(project: Option<&str>, about: String) -> String {
    let inner = project.and_then(|project| about.strip_prefix(project)?.strip_prefix('/'));
    inner.map(str::to_owned).unwrap_or(about)
}

/// The file or pattern in the call with this id. The call comes shortly before its result.
fn asked(recording: &Recording, message: usize, id: &str) -> String {
    const NAMES: [&str; 8] =
        ["file_path", "path", "filePath", "absolute_path", "pattern", "query", "url", "description"];
    let before = recording.messages[..message].iter().rev().take(40);
    let blocks = before
        .flat_map(|it| ["content", "parts", "tool_calls"].map(|name| &it[name]))
        .filter_map(Value::as_array);
    let input = blocks.flatten().find_map(|block| {
        let call = if block["functionCall"].is_object() { &block["functionCall"] } else { block };
        (!id.is_empty() && call["id"] == id)
            .then(|| [&call["input"], &call["args"]].into_iter().find(|it| it.is_object()).cloned())?
    });
    let input = input.unwrap_or_default();
    NAMES.iter().find_map(|name| input[*name].as_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tersely_core::{Loss, Plan};
    use tersely_engine::EngineSettings;

    use super::*;
    use crate::recording::{BodyShape, RecordedTurn};

    fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
        (1..count).map(line).collect::<Vec<_>>().join("\n")
    }

    /// A conversation that reads files, searches, and reads one of them again.
    fn recording() -> Recording {
        let mut messages = vec![json!({ "role": "user", "content": [{ "type": "text", "text": "go" }] })];
        let mut turns = Vec::new();
        for at in 0..6 {
            let file = format!("/src/{}.rs", at % 4);
            let code: String = lines(80, |line| format!("{line:>6}\tlet a{line} = f({});", at % 4));
            let hits: String =
                lines(60, |line| format!("src/deep/folder/name{}.rs:{line}:let found = {line};", line % 3));
            let (tool, input, text) = if at % 2 == 0 {
                ("Read", json!({ "file_path": file }), code)
            } else {
                ("Grep", json!({ "pattern": "found" }), hits)
            };
            turns.push(RecordedTurn { messages: messages.len(), ..RecordedTurn::default() });
            messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": format!("t{at}"), "name": tool, "input": input }] }));
            messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{at}"), "content": text }] }));
        }
        Recording { shape: BodyShape::Messages, messages, turns, ..Recording::default() }
    }

    #[test]
    fn one_pass_tells_what_every_request_would_have_been() {
        for loss in [Loss::None, Loss::Detail] {
            let plan = Plan { loss, ..Plan::default() };
            let engine = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
            let whole = recording();
            let weighed = TokenEstimate::of(&engine, &whole, &counted(&whole), 10).unwrap();
            assert!(weighed.sum(whole.messages.len()).after < weighed.sum(whole.messages.len()).before);
            for turn in &whole.turns {
                let part = Recording { messages: whole.messages[..turn.messages].to_vec(), ..whole.clone() };
                let alone = TokenEstimate::of(&engine, &part, &counted(&part), 10).unwrap();
                assert_eq!(alone.sum(turn.messages), weighed.sum(turn.messages), "{turn:?}");
            }
            assert_eq!(weighed.results[0].about, "/src/0.rs");
        }
    }
}

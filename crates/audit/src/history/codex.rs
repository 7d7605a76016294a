//! Reads Codex sessions. Each is a file with a line for each item of a conversation and each token count.

use serde_json::{Value, json};
use tersely_account::TokenUsage;

use super::time::milliseconds;
use crate::recording::{BodyShape, RecordedTurn, Recording, ShownRequest, TurnLink};

/// The types of items that the model writes.
const WRITTEN: [&str; 6] = [
    "reasoning",
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
    "tool_search_call",
];

/// The conversations of a session file; `None` if the lines are in another format.
pub(crate) fn read(lines: &[Value]) -> Option<Vec<Recording>> {
    let meta = lines.iter().find(|line| line["type"] == "session_meta" && line["payload"].is_object())?;
    let mut rollout = Rollout::default();
    rollout.now.client = "codex";
    rollout.now.shape = BodyShape::Responses;
    let meta = &meta["payload"];
    meta["id"].as_str().unwrap_or_default().clone_into(&mut rollout.now.session);
    rollout.now.project = meta["cwd"].as_str().map(str::to_owned);
    let instructions = meta["base_instructions"]["text"].as_str().or_else(|| meta["instructions"].as_str());
    instructions.unwrap_or_default().clone_into(&mut rollout.now.head.system);
    for line in lines {
        rollout.take(line);
    }
    rollout.past.push(rollout.now);
    Some(rollout.past)
}

#[derive(Default)]
struct Rollout {
    past: Vec<Recording>,
    now: Recording,
    /// True while the model's answer continues.
    is_answering: bool,
    /// The last running total, because the same total may be reported twice.
    counted: Option<u64>,
}

impl Rollout {
    fn take(&mut self, line: &Value) {
        let payload = &line["payload"];
        match (line["type"].as_str(), payload["type"].as_str()) {
            (Some("turn_context"), _) => {
                if let Some(model) = payload["model"].as_str() {
                    model.clone_into(&mut self.now.model);
                }
            }
            (Some("compacted"), _) => self.compact(&payload["replacement_history"]),
            (Some("response_item"), Some(kind)) => self.item(kind, payload),
            (Some("event_msg"), Some("token_count")) => self.count(&payload["info"], &line["timestamp"]),
            _ => {}
        }
    }

    fn item(&mut self, kind: &str, item: &Value) {
        let is_written = WRITTEN.contains(&kind) || item["role"] == "assistant";
        if is_written && !self.is_answering {
            let messages = self.now.messages.len();
            let is_first = self.now.turns.is_empty() && self.now.compacted.is_some();
            let link = if is_first { TurnLink::Compacted } else { TurnLink::Next };
            let shown = ShownRequest { link, ..ShownRequest::to(Some(&self.now.model)) };
            self.now.turns.push(RecordedTurn { messages, shown, ..RecordedTurn::default() });
        }
        self.is_answering = is_written;
        self.now.messages.push(item.clone());
    }

    /// Adds usage to the last answer.
    fn count(&mut self, info: &Value, at: &Value) {
        let all = info["total_token_usage"]["total_tokens"].as_u64();
        let last = &info["last_token_usage"];
        let Some(turn) = self.now.turns.last_mut() else { return };
        if all.is_none() || all == self.counted || turn.billed.is_some() {
            return;
        }
        self.counted = all;
        let count = |name: &str| last[name].as_u64().unwrap_or(0);
        let cache_read = count("cached_input_tokens");
        turn.at = milliseconds(at);
        turn.billed = Some(TokenUsage {
            input: count("input_tokens").saturating_sub(cache_read),
            cache_read,
            cache_write: 0,
            cache_write_hour: 0,
            output: count("output_tokens"),
            reasoning: count("reasoning_output_tokens"),
        });
        *turn = turn.clone().named(None);
    }

    /// Starts a new conversation with the items that the compaction retained.
    fn compact(&mut self, kept: &Value) {
        let messages =
            kept.as_array().cloned().unwrap_or_else(|| vec![json!({ "role": "user", "content": "" })]);
        let compacted = self.now.turns.last().cloned().or_else(|| self.now.compacted.clone());
        let next = Recording { messages, turns: Vec::new(), compacted, ..self.now.clone() };
        self.past.push(std::mem::replace(&mut self.now, next));
        self.is_answering = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_belong_to_the_answer_before_them() {
        let item = |payload: Value| json!({ "type": "response_item", "payload": payload });
        let count = |all: u64, input: u64| {
            json!({ "type": "event_msg", "timestamp": "2026-06-18T02:35:04.580Z", "payload": { "type": "token_count", "info": {
                "total_token_usage": { "total_tokens": all },
                "last_token_usage": { "input_tokens": input, "cached_input_tokens": 40, "output_tokens": 5, "reasoning_output_tokens": 2 },
            } } })
        };
        let lines = [
            json!({ "type": "session_meta", "payload": { "id": "s", "cwd": "/x", "base_instructions": { "text": "Be good." } } }),
            item(json!({ "type": "message", "role": "user", "content": [] })),
            json!({ "type": "turn_context", "payload": { "model": "gpt-5.5" } }),
            item(json!({ "type": "reasoning" })),
            item(json!({ "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" })),
            item(json!({ "type": "function_call_output", "call_id": "a", "output": "text" })),
            count(105, 100),
            count(105, 100),
            item(json!({ "type": "message", "role": "assistant", "content": [] })),
            count(260, 150),
            json!({ "type": "compacted", "payload": { "replacement_history": [{ "role": "user", "content": "so far" }] } }),
            item(json!({ "type": "message", "role": "assistant", "content": [] })),
        ];
        let recordings = read(&lines).unwrap();
        assert_eq!(recordings.len(), 2);
        let turns: Vec<_> = recordings[0].turns.iter().map(|it| (it.messages, it.billed.unwrap())).collect();
        let billed =
            |input| TokenUsage { input, cache_read: 40, output: 5, reasoning: 2, ..TokenUsage::default() };
        assert_eq!(turns, [(1, billed(60)), (4, billed(110))]);
        assert_eq!((recordings[1].messages.len(), recordings[1].turns.len()), (2, 1));
        assert_eq!(recordings[1].compacted.as_ref(), recordings[0].turns.last());
        assert_eq!(recordings[1].turns[0].shown.link, TurnLink::Compacted);
        let same = recordings[0].turns[0].shown.model == recordings[0].turns[1].shown.model;
        assert!(same && recordings[0].turns[0].shown.model.is_some());
        assert_eq!(
            (recordings[0].model.as_str(), recordings[0].head.system.as_str()),
            ("gpt-5.5", "Be good.")
        );
    }
}

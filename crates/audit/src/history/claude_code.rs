//! Reads Claude Code sessions. Each is a file with a line for each block of an answer, each result and each user text.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use tersely_account::TokenUsage;

use super::time::milliseconds;
use crate::recording::{BodyShape, RecordedTurn, Recording};

/// The conversations of a session; `None` if the lines are in another format. Each agent has its own conversation, and
/// each compaction starts a new one.
pub(crate) fn read(lines: &[Value]) -> Option<Vec<Recording>> {
    let is_ours = |line: &&Value| line["sessionId"].is_string() && line["message"].is_object();
    lines.iter().find(is_ours)?;
    let (mut tracks, mut places): (Vec<Track>, HashMap<Option<&str>, usize>) = <_>::default();
    for line in lines {
        let agent = line["agentId"].as_str().or_else(|| line["isSidechain"].as_bool()?.then_some("agent"));
        let at = *places.entry(agent).or_insert_with(|| {
            tracks.push(Track::default());
            tracks.len() - 1
        });
        tracks[at].take(line);
    }
    Some(tracks.into_iter().flat_map(Track::finish).collect())
}

/// The conversations of one agent.
#[derive(Default)]
struct Track {
    past: Vec<Recording>,
    now: Recording,
    /// The answer that is still being read: its id, and the index of its message.
    answer: Option<(String, usize)>,
}

impl Track {
    fn take(&mut self, line: &Value) {
        let message = &line["message"];
        match line["type"].as_str() {
            Some("system") if line["subtype"] == "compact_boundary" => self.compact(),
            Some("user") if message["role"] == "user" => self.hear(line, &message["content"]),
            Some("assistant") if line["isApiErrorMessage"] != true && message["model"] != "<synthetic>" => {
                self.answer(line, message);
            }
            _ => {}
        }
    }

    /// Starts a new conversation.
    fn compact(&mut self) {
        let next = Recording { messages: Vec::new(), turns: Vec::new(), ..self.now.clone() };
        self.past.push(std::mem::replace(&mut self.now, next));
        self.answer = None;
    }

    /// Adds input for the model. All input between two answers forms one message.
    fn hear(&mut self, line: &Value, content: &Value) {
        let blocks = match content {
            Value::String(text) => vec![json!({ "type": "text", "text": text })],
            Value::Array(blocks) => blocks.clone(),
            _ => return,
        };
        if self.now.session.is_empty() {
            self.now.client = "claude-code";
            self.now.shape = BodyShape::Messages;
            line["sessionId"].as_str().unwrap_or_default().clone_into(&mut self.now.session);
            self.now.project = line["cwd"].as_str().map(str::to_owned);
        }
        let last = self.now.messages.last_mut().filter(|last| last["role"] == "user");
        match last.and_then(|last| last["content"].as_array_mut()) {
            Some(said) => said.extend(blocks),
            None => self.now.messages.push(json!({ "role": "user", "content": blocks })),
        }
    }

    /// Adds a block of an answer. Blocks with the same id belong to one request, even if results come between them.
    fn answer(&mut self, line: &Value, message: &Value) {
        if self.now.messages.is_empty() {
            return;
        }
        let (Some(id), Some(blocks)) = (message["id"].as_str(), message["content"].as_array()) else {
            return;
        };
        let place = self.answer.as_ref().filter(|(known, _)| known == id).map(|(_, place)| *place);
        let place = place.unwrap_or_else(|| {
            let turn = RecordedTurn { messages: self.now.messages.len(), ..RecordedTurn::default() };
            self.now.turns.push(turn.named(Some(id)));
            self.now.messages.push(json!({ "role": "assistant", "content": [] }));
            self.answer = Some((id.to_owned(), self.now.messages.len() - 1));
            self.now.messages.len() - 1
        });
        if let Some(content) = self.now.messages[place]["content"].as_array_mut() {
            content.extend(blocks.iter().cloned());
        }
        if let Some(model) = message["model"].as_str() {
            model.clone_into(&mut self.now.model);
        }
        if let (Some(turn), Some(usage)) = (self.now.turns.last_mut(), message["usage"].as_object()) {
            // The first line has the time closest to the request; the last line has the complete usage.
            turn.at = turn.at.or_else(|| milliseconds(&line["timestamp"]));
            turn.billed = Some(billed(usage));
            turn.is_long |= usage
                .get("cache_creation")
                .is_some_and(|it| it["ephemeral_1h_input_tokens"].as_u64() > Some(0));
        }
    }

    fn finish(self) -> Vec<Recording> {
        let mut all = self.past;
        all.push(self.now);
        all
    }
}

fn billed(usage: &Map<String, Value>) -> TokenUsage {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
    TokenUsage {
        input: count("input_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        cache_write_hour: 0,
        output: count("output_tokens"),
        reasoning: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(content: &Value) -> Value {
        json!({ "type": "user", "sessionId": "s", "cwd": "/src/app", "message": { "role": "user", "content": content } })
    }

    fn assistant(id: &str, block: &Value, output: u64) -> Value {
        json!({
            "type": "assistant", "sessionId": "s", "timestamp": "2026-02-19T08:37:32.962Z",
            "message": {
                "id": id, "role": "assistant", "model": "claude-sonnet-4-6", "content": [block],
                "usage": { "input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 7, "output_tokens": output },
            },
        })
    }

    #[test]
    fn an_answer_in_pieces_is_one_request() {
        let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "Read", "input": {} });
        let result =
            |id: &str| user(&json!([{ "type": "tool_result", "tool_use_id": id, "content": "text" }]));
        let lines = [
            user(&json!("go")),
            assistant("m1", &call("a"), 1),
            result("a"),
            assistant("m1", &call("b"), 9),
            result("b"),
            assistant("m2", &json!({ "type": "text", "text": "done" }), 4),
        ];
        let recordings = read(&lines).unwrap();
        assert_eq!(recordings.len(), 1);
        let recording = &recordings[0];
        let roles: Vec<_> = recording.messages.iter().map(|it| it["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
        assert_eq!(recording.messages[2]["content"].as_array().unwrap().len(), 2);
        let turns: Vec<_> =
            recording.turns.iter().map(|turn| (turn.messages, turn.billed.unwrap().output)).collect();
        assert_eq!(turns, [(1, 9), (3, 4)]);
        assert_eq!(recording.turns[0].billed.unwrap().read(), 20);
    }

    #[test]
    fn agents_and_what_follows_a_compaction_are_conversations_of_their_own() {
        let text = json!({ "type": "text", "text": "done" });
        let mut aside = [user(&json!("look")), assistant("m9", &text, 2)];
        for line in &mut aside {
            line["isSidechain"] = json!(true);
        }
        let mut lines = vec![user(&json!("go")), assistant("m1", &text, 1)];
        lines.extend(aside);
        lines.push(json!({ "type": "system", "subtype": "compact_boundary", "sessionId": "s" }));
        lines.extend([user(&json!("so far")), assistant("m2", &text, 1)]);
        let recordings = read(&lines).unwrap();
        let counts: Vec<_> = recordings.iter().map(|it| (it.messages.len(), it.turns.len())).collect();
        assert_eq!(counts, [(2, 1), (2, 1), (2, 1)]);
        assert!(recordings.iter().all(|it| it.session == "s"));
    }

    /// Reading takes linear time in the number of lines, not quadratic time.
    #[test]
    fn as_many_agents_as_lines_are_read_in_time() {
        let mut lines: Vec<_> = (0..50_000).map(|_| user(&json!("go"))).collect();
        for (at, line) in lines.iter_mut().enumerate() {
            line["agentId"] = json!(format!("agent-with-a-long-name-{at}"));
        }
        let begun = std::time::Instant::now();
        assert_eq!(read(&lines).unwrap().len(), 50_000);
        assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
    }

    #[test]
    fn other_lines_are_no_ones() {
        assert!(read(&[json!({ "type": "session_meta", "payload": {} })]).is_none());
        assert!(read(&[]).is_none());
    }
}

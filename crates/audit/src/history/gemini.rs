//! Reads Gemini CLI sessions. Each is one object with all messages or, since 2026, a file with a line for each change.

use serde_json::{Value, json};
use tersely_account::TokenUsage;

use super::time::milliseconds;
use crate::recording::{BodyShape, RecordedTurn, Recording, ShownRequest};

/// The conversations of a session; `None` if the values are in another format.
pub(crate) fn read(values: &[Value]) -> Option<Vec<Recording>> {
    let session = values.first()?;
    let id = session["sessionId"].as_str().filter(|_| session["projectHash"].is_string())?;
    let conversations = match session["messages"].as_array() {
        Some(messages) => vec![messages.clone()],
        None => replayed(&values[1..]),
    };
    Some(conversations.iter().map(|messages| conversation(id, messages)).collect())
}

/// The message lists of a session: one before each rewind, and the final one.
fn replayed(changes: &[Value]) -> Vec<Vec<Value>> {
    let (mut lists, mut now) = (Vec::new(), Vec::<Value>::new());
    for change in changes {
        if let Some(id) = change["$rewindTo"].as_str() {
            let kept = now.iter().position(|message| message["id"] == id).unwrap_or(0);
            lists.push(now.clone());
            now.truncate(kept);
        } else if let Some(messages) = change["$set"]["messages"].as_array() {
            lists.push(std::mem::replace(&mut now, messages.clone()));
        } else if change["id"].is_string() {
            match now.iter_mut().rev().find(|message| message["id"] == change["id"]) {
                Some(known) => *known = change.clone(),
                None => now.push(change.clone()),
            }
        }
    }
    lists.push(now);
    lists
}

fn conversation(id: &str, messages: &[Value]) -> Recording {
    let mut recording = Recording {
        client: "gemini-cli",
        session: id.to_owned(),
        shape: BodyShape::Gemini,
        ..Recording::default()
    };
    // Newer sessions contain results twice: with the call, and in the message that sent them to the model.
    let is_sent = messages.iter().any(|message| has_results(&message["content"]));
    for message in messages {
        take(&mut recording, message, !is_sent);
    }
    recording
}

fn has_results(content: &Value) -> bool {
    content.as_array().into_iter().flatten().any(|part| part["functionResponse"].is_object())
}

fn take(recording: &mut Recording, message: &Value, with_results: bool) {
    let text = said(&message["content"]);
    if message["type"] == "user" {
        let parts = if has_results(&message["content"]) {
            message["content"].clone()
        } else {
            json!([{ "text": text }])
        };
        recording.messages.push(json!({ "role": "user", "parts": parts }));
        return;
    }
    if message["type"] != "gemini" {
        return;
    }
    if let Some(model) = message["model"].as_str() {
        model.clone_into(&mut recording.model);
    }
    let turn = RecordedTurn {
        messages: recording.messages.len(),
        at: milliseconds(&message["timestamp"]),
        billed: message["tokens"].is_object().then(|| billed(&message["tokens"])),
        shown: ShownRequest::to(message["model"].as_str()),
        ..RecordedTurn::default()
    };
    recording.turns.push(turn.named(message["id"].as_str()));
    let calls = || message["toolCalls"].as_array().into_iter().flatten();
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({ "text": text }));
    }
    parts.extend(calls().map(
        |call| json!({ "functionCall": { "id": call["id"], "name": call["name"], "args": call["args"] } }),
    ));
    recording.messages.push(json!({ "role": "model", "parts": parts }));
    let results: Vec<_> =
        calls().flat_map(|call| call["result"].as_array().into_iter().flatten().cloned()).collect();
    if with_results && !results.is_empty() {
        recording.messages.push(json!({ "role": "user", "parts": results }));
    }
}

/// The text of a message's content, which is a string or a list of parts.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn billed(tokens: &Value) -> TokenUsage {
    let count = |name: &str| tokens[name].as_u64().unwrap_or(0);
    let (cached, thoughts) = (count("cached"), count("thoughts"));
    TokenUsage {
        input: count("input").saturating_sub(cached),
        cache_read: cached,
        cache_write: 0,
        cache_write_hour: 0,
        output: count("output") + thoughts,
        reasoning: thoughts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_results_become_messages() {
        let session = json!({
            "sessionId": "s", "projectHash": "h",
            "messages": [
                { "type": "user", "content": [{ "text": "go" }] },
                { "type": "gemini", "content": "", "model": "gemini-2.5-pro", "timestamp": "2026-02-19T08:37:32.962Z",
                  "toolCalls": [{ "id": "c", "name": "read_file", "args": {}, "result": [{ "functionResponse": { "id": "c", "name": "read_file", "response": { "output": "text" } } }] }],
                  "tokens": { "input": 100, "output": 5, "cached": 40, "thoughts": 3 } },
                { "type": "info", "content": "note" },
                { "type": "gemini", "content": "done" },
            ],
        });
        let recording = read(&[session]).unwrap().remove(0);
        assert_eq!(recording.messages.len(), 4);
        let turns: Vec<_> = recording.turns.iter().map(|it| it.messages).collect();
        assert_eq!(turns, [1, 3]);
        let billed = recording.turns[0].billed.unwrap();
        assert_eq!((billed.input, billed.cache_read, billed.output, billed.reasoning), (60, 40, 8, 3));
        assert_eq!(recording.turns[1].billed, None);
    }

    #[test]
    fn a_session_of_changes_is_replayed() {
        let answer = |id: &str, calls: Value| json!({ "id": id, "type": "gemini", "content": "", "tokens": { "input": 9 }, "toolCalls": calls });
        let result = json!({ "functionResponse": { "id": "c", "name": "read_file", "response": { "output": "text" } } });
        let user = |id: &str, part: &Value| json!({ "id": id, "type": "user", "content": [part] });
        let lines = [
            json!({ "sessionId": "s", "projectHash": "h", "kind": "main" }),
            json!({ "$set": { "messages": [user("0", &json!({ "text": "context" }))] } }),
            user("1", &json!({ "text": "go" })),
            answer("2", json!([])),
            answer("2", json!([{ "id": "c", "name": "read_file", "args": {}, "result": [result.clone()] }])),
            json!({ "$set": { "lastUpdated": "2026-11-16T15:26:19.333Z" } }),
            user("3", &result),
            answer("4", json!([])),
            json!({ "$rewindTo": "3" }),
            answer("5", json!([])),
        ];
        let found = read(&lines).unwrap();
        let sizes: Vec<_> = found.iter().map(|it| (it.messages.len(), it.turns.len())).collect();
        assert_eq!(sizes, [(0, 0), (5, 2), (5, 2)]);
        assert_eq!(found[1].messages[3]["parts"], json!([result]));
        assert_eq!(found[1].turns[0].id, found[2].turns[0].id, "a copy");
    }
}

//! Gemini CLI: one object a session, with a member for each message and its calls.

use serde_json::{Value, json};
use tersely_telemetry::BilledTokens;

use super::time::milliseconds;
use crate::recording::{BodyShape, RecordedTurn, Recording};

/// The conversation of a session, if the value is one.
pub(crate) fn read(values: &[Value]) -> Option<Vec<Recording>> {
    let [session] = values else { return None };
    let messages = session["messages"].as_array()?;
    session["sessionId"].as_str().filter(|_| session["projectHash"].is_string())?;
    let mut recording = Recording {
        client: "gemini-cli",
        session: session["sessionId"].as_str().unwrap_or_default().to_owned(),
        shape: BodyShape::Gemini,
        ..Recording::default()
    };
    for message in messages {
        take(&mut recording, message);
    }
    Some(vec![recording])
}

fn take(recording: &mut Recording, message: &Value) {
    let text = said(&message["content"]);
    if message["type"] == "user" {
        recording.messages.push(json!({ "role": "user", "parts": [{ "text": text }] }));
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
    if !results.is_empty() {
        recording.messages.push(json!({ "role": "user", "parts": results }));
    }
}

/// A content: a text, or parts of one.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn billed(tokens: &Value) -> BilledTokens {
    let count = |name: &str| tokens[name].as_u64().unwrap_or(0);
    let (cached, thoughts) = (count("cached"), count("thoughts"));
    BilledTokens {
        input: count("input").saturating_sub(cached),
        cache_read: cached,
        cache_write: 0,
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
}

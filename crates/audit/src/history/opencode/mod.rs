//! Reads `OpenCode` sessions: from a database or, in older versions, from folders.

mod database;
mod folders;

use serde_json::{Value, json};
use tersely_account::TokenUsage;

use super::time::milliseconds;
use crate::recording::{BodyShape, RecordedTurn, Recording, ShownRequest, TurnLink};

pub(crate) use database::{is_database, read as read_database};
pub(crate) use folders::read;

/// A session without its messages.
fn session(id: &str, folder: Option<&str>) -> Recording {
    Recording {
        client: "opencode",
        session: id.to_owned(),
        project: folder.map(str::to_owned),
        shape: BodyShape::Messages,
        ..Recording::default()
    }
}

fn take(recording: &mut Recording, message: &Value, parts: &[Value]) {
    let text = |part: &&Value| part["type"] == "text";
    let texts: Vec<_> =
        parts.iter().filter(text).map(|part| json!({ "type": "text", "text": part["text"] })).collect();
    if message["role"] == "user" {
        recording.messages.push(json!({ "role": "user", "content": texts }));
        return;
    }
    let model = message["modelID"].as_str().or_else(|| message["model"]["modelID"].as_str());
    model.unwrap_or_default().clone_into(&mut recording.model);
    let past = recording.turns.last().map(|turn| turn.shown.link);
    let link = match (message["summary"] == true, past) {
        (true, _) => TurnLink::Summary,
        (false, Some(TurnLink::Summary)) => TurnLink::Compacted,
        (false, _) => TurnLink::Next,
    };
    let turn = RecordedTurn {
        messages: recording.messages.len(),
        at: milliseconds(&message["time"]["created"]),
        billed: message["tokens"].is_object().then(|| billed(&message["tokens"])),
        shown: ShownRequest { link, ..ShownRequest::to(model) },
        ..RecordedTurn::default()
    };
    recording.turns.push(turn.named(message["id"].as_str()));
    let calls: Vec<_> = parts.iter().filter(|part| part["type"] == "tool").collect();
    let made = calls.iter().map(|part| {
        json!({ "type": "tool_use", "id": part["callID"], "name": part["tool"], "input": part["state"]["input"] })
    });
    recording
        .messages
        .push(json!({ "role": "assistant", "content": texts.into_iter().chain(made).collect::<Vec<_>>() }));
    let results: Vec<_> = calls
        .iter()
        .map(|part| {
            let state = &part["state"];
            let text = state["output"].as_str().or_else(|| state["error"].as_str()).unwrap_or_default();
            json!({ "type": "tool_result", "tool_use_id": part["callID"], "content": text, "is_error": state["status"] == "error" })
        })
        .collect();
    if !results.is_empty() {
        recording.messages.push(json!({ "role": "user", "content": results }));
    }
}

fn billed(tokens: &Value) -> TokenUsage {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    TokenUsage {
        input: count(&tokens["input"]),
        cache_read: count(&tokens["cache"]["read"]),
        cache_write: count(&tokens["cache"]["write"]),
        cache_write_hour: 0,
        output: count(&tokens["output"]) + count(&tokens["reasoning"]),
        reasoning: count(&tokens["reasoning"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_and_what_follows_it_show_a_compaction() {
        let mut recording = session("ses_1", None);
        for message in [
            json!({ "role": "user" }),
            json!({ "role": "assistant", "id": "1", "modelID": "m" }),
            json!({ "role": "assistant", "id": "2", "modelID": "m", "summary": true }),
            json!({ "role": "assistant", "id": "3", "modelID": "other" }),
            json!({ "role": "assistant", "id": "4", "modelID": "other" }),
        ] {
            take(&mut recording, &message, &[]);
        }
        let links: Vec<_> = recording.turns.iter().map(|turn| turn.shown.link).collect();
        assert_eq!(links, [TurnLink::Next, TurnLink::Summary, TurnLink::Compacted, TurnLink::Next]);
        assert_ne!(recording.turns[1].shown.model, recording.turns[2].shown.model);
    }
}

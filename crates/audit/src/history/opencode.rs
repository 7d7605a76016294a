//! `OpenCode`: a folder of messages a session, and beside it a folder of parts for each message.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tersely_telemetry::BilledTokens;

use super::time::milliseconds;
use crate::recording::{BodyShape, RecordedTurn, Recording};

/// The conversation of a session, if the value is the file that describes one:
/// `storage/session/PROJECT/SESSION.json`.
pub(crate) fn read(path: &Path, values: &[Value]) -> Option<Vec<Recording>> {
    let [session] = values else { return None };
    let id = session["id"].as_str().filter(|id| id.starts_with("ses_") && is_name(id))?;
    let storage = path.ancestors().find(|folder| folder.join("message").join(id).is_dir())?;
    let mut recording = Recording {
        client: "opencode",
        session: id.to_owned(),
        project: session["directory"].as_str().map(str::to_owned),
        shape: BodyShape::Messages,
        ..Recording::default()
    };
    for message in objects(&storage.join("message").join(id)) {
        let Some(id) = message["id"].as_str().filter(|id| is_name(id)) else { continue };
        take(&mut recording, &message, &objects(&storage.join("part").join(id)));
    }
    Some(vec![recording])
}

/// True for a name that stays in its folder.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The objects in a folder, by the names of their files, which are in the order of time.
fn objects(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|it| it == "json")).collect();
    files.sort();
    files.iter().filter_map(|file| super::lines::read(file).ok()).flat_map(|lines| lines.values).collect()
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
    let turn = RecordedTurn {
        messages: recording.messages.len(),
        at: milliseconds(&message["time"]["created"]),
        billed: message["tokens"].is_object().then(|| billed(&message["tokens"])),
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

fn billed(tokens: &Value) -> BilledTokens {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    BilledTokens {
        input: count(&tokens["input"]),
        cache_read: count(&tokens["cache"]["read"]),
        cache_write: count(&tokens["cache"]["write"]),
        output: count(&tokens["output"]) + count(&tokens["reasoning"]),
        reasoning: count(&tokens["reasoning"]),
    }
}

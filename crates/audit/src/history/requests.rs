//! Reads logged requests: bodies of a provider's API, alone or in a log that also contains the answers.

use std::sync::Arc;

use serde_json::Value;
use tersely_account::{PromptMarks, TokenUsage};
use tersely_wire::{PromptContext, claimed_provider, prompt_marks};

use super::diagnosis::diagnosis;
use super::time::milliseconds;
use crate::recording::{BodyShape, RecordedHead, RecordedTurn, Recording, ShownRequest};

/// The fields that contain the body in logs of gateways, proxies and `LiteLLM`.
const WRAPS: [&str; 4] = ["request", "body", "request_body", "proxy_server_request"];

/// The conversations in request bodies; `None` if the values are in another format. A body that continues the previous
/// one is the next request of the same conversation. A list of messages without a body, as Cline stores it, represents
/// all requests of its conversation.
pub(crate) fn read(values: &[Value]) -> Option<Vec<Recording>> {
    if let [Value::Array(messages)] = values {
        return listed(messages).map(|recording| vec![recording]);
    }
    let bodies: Vec<_> = values.iter().filter_map(|line| Some((line, body(line)?))).collect();
    if bodies.is_empty() {
        return None;
    }
    let mut all: Vec<Recording> = Vec::new();
    for (line, body) in bodies {
        let Some(request) = request(line, body) else { continue };
        let goes_on = |past: &&mut Recording| {
            past.shape == request.shape && request.messages.starts_with(&past.messages)
        };
        match all.iter_mut().rev().find(goes_on) {
            Some(past) => {
                past.messages = request.messages;
                past.turns.extend(request.turns);
            }
            None => all.push(request),
        }
    }
    Some(all)
}

/// The conversation in a list of messages without a body.
fn listed(messages: &[Value]) -> Option<Recording> {
    let is_answer = |message: &Value| message["role"] == "assistant";
    messages.iter().find(|message| is_answer(message) && message["content"].is_array())?;
    let answers = messages.iter().enumerate().filter(|(at, message)| *at > 0 && is_answer(message));
    let turns = answers.map(|(at, _)| RecordedTurn { messages: at, ..RecordedTurn::default() });
    Some(Recording {
        client: "cline",
        turns: turns.collect(),
        messages: messages.to_vec(),
        ..Recording::default()
    })
}

/// The request body in a log line, which may be the line itself.
fn body(line: &Value) -> Option<&Value> {
    let inner = WRAPS.iter().map(|name| &line[*name]).find(|inner| inner.is_object());
    [inner.map(|inner| &inner["body"]), inner, Some(line)]
        .into_iter()
        .flatten()
        .find(|body| shape(body).is_some())
}

fn shape(body: &Value) -> Option<BodyShape> {
    if body["contents"].is_array() {
        return Some(BodyShape::Gemini);
    }
    if body["input"].is_array() && body["model"].is_string() {
        return Some(BodyShape::Responses);
    }
    let messages = body["messages"].as_array()?;
    let blocks = || messages.iter().flat_map(|it| it["content"].as_array().into_iter().flatten());
    let is_anthropic = body["system"].is_string()
        || body["system"].is_array()
        || body["tools"][0]["input_schema"].is_object()
        || blocks().any(|block| matches!(block["type"].as_str(), Some("tool_use" | "tool_result")));
    Some(if is_anthropic { BodyShape::Messages } else { BodyShape::Chat })
}

fn request(line: &Value, body: &Value) -> Option<Recording> {
    let shape = shape(body)?;
    let messages = body[shape.member()].as_array()?.clone();
    let billed = ["usage", "response", "response_obj"].iter().find_map(|name| billed(&line[*name]));
    let at = ["timestamp", "startTime", "start_time", "created", "time"]
        .iter()
        .find_map(|name| milliseconds(&line[*name]));
    let system = [&body["system"], &body["instructions"]].into_iter().find(|it| !it.is_null());
    let system = system.map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned));
    let answers = ["response", "response_obj"].iter();
    let shown = ShownRequest {
        marks: marks(shape, body),
        diagnosis: answers.map(|name| &line[*name]).chain([line]).find_map(diagnosis),
        ..ShownRequest::to(body["model"].as_str())
    };
    let turn = RecordedTurn { messages: messages.len(), at, billed, shown, ..RecordedTurn::default() };
    Some(Recording {
        client: "requests",
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        shape,
        head: RecordedHead {
            system: system.unwrap_or_default(),
            tools: body["tools"].as_array().cloned().unwrap_or_default(),
        },
        messages,
        turns: vec![turn],
        ..Recording::default()
    })
}

/// The hashes of a body, by which the next one is compared with it.
fn marks(shape: BodyShape, body: &Value) -> Option<Arc<PromptMarks>> {
    let (bytes, provider) = (body.to_string(), claimed_provider(shape.path())?);
    let context = PromptContext { model: body["model"].as_str(), betas: 0 };
    prompt_marks(&context, &provider.read(bytes.as_bytes()), &[]).map(Arc::new)
}

/// The reported usage, from a usage object or from an answer that contains one.
fn billed(value: &Value) -> Option<TokenUsage> {
    let usage = if value["usage"].is_object() { &value["usage"] } else { value };
    let first = |names: &[&str]| names.iter().find_map(|name| usage.pointer(name)?.as_u64());
    let input = first(&["/input_tokens", "/prompt_tokens"])?;
    let read = first(&[
        "/cache_read_input_tokens",
        "/prompt_tokens_details/cached_tokens",
        "/input_tokens_details/cached_tokens",
    ]);
    let cache_read = read.unwrap_or(0);
    // Anthropic reports cached tokens separately, OpenAI includes them in the input.
    let is_beside = usage["cache_read_input_tokens"].is_u64() && usage["prompt_tokens"].is_null();
    Some(TokenUsage {
        input: if is_beside { input } else { input.saturating_sub(cache_read) },
        cache_read,
        cache_write: first(&["/cache_creation_input_tokens"]).unwrap_or(0),
        cache_write_hour: 0,
        output: first(&["/output_tokens", "/completion_tokens"]).unwrap_or(0),
        reasoning: first(&[
            "/completion_tokens_details/reasoning_tokens",
            "/output_tokens_details/reasoning_tokens",
        ])
        .unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tersely_account::PromptChange;

    use super::*;

    #[test]
    fn a_body_that_goes_on_with_another_is_its_next_request() {
        let body = |count: usize| {
            let messages: Vec<_> =
                (0..count).map(|at| json!({ "role": "user", "content": at.to_string() })).collect();
            json!({ "request": { "model": "gpt-5.6", "messages": messages }, "usage": { "prompt_tokens": 10 * count, "prompt_tokens_details": { "cached_tokens": 4 } } })
        };
        let recordings = read(&[
            body(1),
            body(3),
            json!({ "model": "gpt-5.6", "messages": [{ "role": "user", "content": "x" }] }),
        ])
        .unwrap();
        let turns: Vec<Vec<_>> =
            recordings.iter().map(|it| it.turns.iter().map(|turn| turn.messages).collect()).collect();
        assert_eq!(turns, [vec![1, 3], vec![1]]);
        let billed = recordings[0].turns[1].billed.unwrap();
        assert_eq!((billed.input, billed.cache_read), (26, 4));
        assert_eq!(recordings[1].turns[0].billed, None);
    }

    #[test]
    fn whole_requests_show_what_changed_between_them() {
        let body = |count: usize, tools: &[&str]| {
            let tools: Vec<_> =
                tools.iter().map(|name| json!({ "name": name, "input_schema": {} })).collect();
            let messages: Vec<_> =
                (0..count).map(|at| json!({ "role": "user", "content": at.to_string() })).collect();
            json!({ "model": "claude-opus-5", "system": "Be good.", "tools": tools, "messages": messages })
        };
        let recordings = read(&[body(1, &["a"]), body(3, &["a"]), body(5, &["a", "mcp__files__b"])]).unwrap();
        let [one, two, three] = &recordings[0].turns[..] else { panic!("{recordings:?}") };
        let change = |past: &RecordedTurn, next: &RecordedTurn| {
            PromptChange::first(past.shown.marks.as_ref()?, next.shown.marks.as_ref()?)
        };
        assert_eq!(change(one, two), None);
        let found = change(two, three).unwrap().into_break();
        assert_eq!(found.to_string(), "tool 2 added: mcp__files__b");
        assert_eq!(found.server.unwrap().as_str(), "files");
    }

    #[test]
    fn a_bare_list_is_a_conversation() {
        let text = |role: &str| json!({ "role": role, "content": [{ "type": "text", "text": "x" }] });
        let list = Value::from(vec![text("user"), text("assistant"), text("user"), text("assistant")]);
        let recordings = read(&[list]).unwrap();
        let turns: Vec<_> = recordings[0].turns.iter().map(|turn| turn.messages).collect();
        assert_eq!(turns, [1, 3]);
        assert!(read(&[json!([1, { "role": "assistant" }])]).is_none());
    }

    #[test]
    fn what_is_cached_counts_beside_the_input_or_within_it() {
        let check =
            |usage: Value, expected: u64| assert_eq!(billed(&usage).map(|it| it.read()), Some(expected));
        check(
            json!({ "input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 7 }),
            20,
        );
        check(
            json!({ "usage": { "input_tokens": 30, "input_tokens_details": { "cached_tokens": 10 } } }),
            30,
        );
        check(json!({ "prompt_tokens": 30, "prompt_tokens_details": { "cached_tokens": 10 } }), 30);
        assert_eq!(billed(&json!({ "id": "x" })), None);
    }
}

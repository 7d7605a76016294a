//! What clients send and upstreams answer, in the wire format of each provider. No small model can play an agent's
//! turn: these upstreams follow a script.

use serde_json::{Value, json};

/// A provider's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

pub(crate) const SHAPES: [Shape; 4] = [Shape::Anthropic, Shape::Chat, Shape::Responses, Shape::Gemini];

/// A part of an upstream's response.
#[derive(Clone, Debug)]
pub(crate) enum Say {
    Text(&'static str),
    /// A call of a tool, with its arguments.
    Call(&'static str, Value),
}

/// The usage that every response reports.
pub(crate) const INPUT: u64 = 100;
pub(crate) const OUTPUT: u64 = 7;

impl Shape {
    pub(crate) fn path(self, streams: bool) -> &'static str {
        match (self, streams) {
            (Self::Anthropic, _) => "/v1/messages?beta=true",
            (Self::Chat, _) => "/v1/chat/completions",
            (Self::Responses, _) => "/v1/responses",
            (Self::Gemini, true) => "/v1beta/models/g:streamGenerateContent?alt=sse",
            (Self::Gemini, false) => "/v1beta/models/g:generateContent",
        }
    }

    /// A request with one tool, `Bash`, that has returned `result`.
    pub(crate) fn request(self, streams: bool, result: &str) -> Value {
        let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
        let input = json!({"command": "run"});
        match self {
            Self::Anthropic => json!({
                "model": "m", "max_tokens": 100, "stream": streams,
                "tools": [{"name": "Bash", "description": "Runs", "input_schema": schema}],
                "messages": [
                    {"role": "user", "content": "Look"},
                    {"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "Bash", "input": input}]},
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": result}]},
                ],
            }),
            Self::Chat => json!({
                "model": "m", "stream": streams, "stream_options": {"include_usage": true},
                "tools": [{"type": "function", "function": {"name": "Bash", "parameters": schema}}],
                "messages": [
                    {"role": "user", "content": "Look"},
                    {"role": "assistant", "tool_calls": [{"id": "call_0", "type": "function",
                        "function": {"name": "Bash", "arguments": input.to_string()}}]},
                    {"role": "tool", "tool_call_id": "call_0", "content": result},
                ],
            }),
            Self::Responses => json!({
                "model": "m", "stream": streams, "store": false,
                "tools": [{"type": "function", "name": "Bash", "parameters": schema}],
                "input": [
                    {"role": "user", "content": "Look"},
                    {"type": "function_call", "call_id": "call_0", "name": "Bash", "arguments": input.to_string()},
                    {"type": "function_call_output", "call_id": "call_0", "output": result},
                ],
            }),
            Self::Gemini => json!({
                "tools": [{"functionDeclarations": [{"name": "Bash", "parameters": schema}]}],
                "contents": [
                    {"role": "user", "parts": [{"text": "Look"}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": input}}]},
                    {"role": "user", "parts": [{"functionResponse": {"name": "Bash", "response": {"output": result}}}]},
                ],
            }),
        }
    }

    /// The tools of a request, by name.
    pub(crate) fn tools(self, request: &Value) -> Vec<String> {
        let names = |value: &Value| match self {
            Self::Anthropic | Self::Responses => vec![value["name"].clone()],
            Self::Chat => vec![value["function"]["name"].clone()],
            Self::Gemini => {
                let list = value["functionDeclarations"].as_array().expect("declarations");
                list.iter().map(|tool| tool["name"].clone()).collect()
            }
        };
        let tools = request["tools"].as_array().expect("tools");
        tools.iter().flat_map(names).map(|name| name.as_str().expect("a name").to_owned()).collect()
    }

    /// The results in a request, in order.
    pub(crate) fn results(self, request: &Value) -> Vec<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |name: &str| request[name].as_array().cloned().expect("messages");
        let nested = |name: &str, inside: &str| {
            list(name)
                .iter()
                .flat_map(|it| it[inside].as_array().cloned().unwrap_or_default())
                .collect::<Vec<_>>()
        };
        match self {
            Self::Anthropic => {
                nested("messages", "content").iter().filter_map(|it| text(&it["content"])).collect()
            }
            Self::Chat => {
                let tool = |it: &&Value| it["role"] == "tool";
                list("messages").iter().filter(tool).filter_map(|it| text(&it["content"])).collect()
            }
            Self::Responses => list("input").iter().filter_map(|it| text(&it["output"])).collect(),
            Self::Gemini => nested("contents", "parts")
                .iter()
                .filter_map(|it| text(&it["functionResponse"]["response"]["output"]))
                .collect(),
        }
    }

    /// An upstream's response, as one value or as events; `round` makes its ids.
    pub(crate) fn answer(self, streams: bool, round: usize, says: &[Say]) -> String {
        match (self, streams) {
            (Self::Anthropic, false) => anthropic(round, says).to_string(),
            (Self::Anthropic, true) => anthropic_events(round, says),
            (Self::Chat, false) => chat(round, says).to_string(),
            (Self::Chat, true) => chat_events(round, says),
            (Self::Responses, false) => responses(round, says).to_string(),
            (Self::Responses, true) => responses_events(round, says),
            (Self::Gemini, false) => gemini(round, says, true).to_string(),
            (Self::Gemini, true) => gemini_events(round, says),
        }
    }

    /// The text, the calls and the tokens (read, written) that a client gets.
    pub(crate) fn got(self, streams: bool, body: &str) -> (String, Vec<String>, (u64, u64)) {
        let events: Vec<Value> =
            if streams { data(body) } else { vec![serde_json::from_str(body).expect("JSON")] };
        match self {
            Self::Anthropic => got_anthropic(&events),
            Self::Chat => got_chat(&events),
            Self::Responses => got_responses(&events),
            Self::Gemini => got_gemini(&events),
        }
    }
}

fn data(body: &str) -> Vec<Value> {
    let lines = body.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn calls(says: &[Say]) -> bool {
    says.iter().any(|say| matches!(say, Say::Call(..)))
}

fn events(list: &[Value]) -> String {
    let event =
        |value: &Value| format!("event: {}\ndata: {value}\n\n", value["type"].as_str().expect("a type"));
    list.iter().map(event).collect()
}

fn id(round: usize, at: usize) -> String {
    format!("call_{round}_{at}")
}

fn anthropic_block(round: usize, at: usize, say: &Say) -> Value {
    match say {
        Say::Text(text) => json!({"type": "text", "text": text}),
        Say::Call(name, input) => {
            json!({"type": "tool_use", "id": id(round, at), "name": name, "input": input})
        }
    }
}

fn anthropic(round: usize, says: &[Say]) -> Value {
    let content: Vec<_> = says.iter().enumerate().map(|(at, say)| anthropic_block(round, at, say)).collect();
    json!({"id": format!("msg_{round}"), "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": if calls(says) { "tool_use" } else { "end_turn" }, "stop_sequence": null,
        "usage": {"input_tokens": INPUT, "output_tokens": OUTPUT}})
}

fn anthropic_events(round: usize, says: &[Say]) -> String {
    let mut message = anthropic(round, says);
    let stop = message["stop_reason"].take();
    message["content"] = json!([]);
    message["usage"]["output_tokens"] = json!(1);
    let mut list = vec![json!({"type": "message_start", "message": message})];
    for (index, say) in says.iter().enumerate() {
        let (block, delta) = match say {
            Say::Text(text) => {
                (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
            }
            Say::Call(name, input) => (
                json!({"type": "tool_use", "id": id(round, index), "name": name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": input.to_string()}),
            ),
        };
        list.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        list.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        list.push(json!({"type": "content_block_stop", "index": index}));
    }
    list.push(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
        "usage": {"input_tokens": INPUT, "output_tokens": OUTPUT}}));
    list.push(json!({"type": "message_stop"}));
    events(&list)
}

fn got_anthropic(events: &[Value]) -> (String, Vec<String>, (u64, u64)) {
    let (mut text, mut calls, mut usage) = (String::new(), Vec::new(), (0, 0));
    let mut starts = 0;
    for event in events {
        for block in event["content"].as_array().into_iter().flatten().chain([&event["content_block"]]) {
            text += block["text"].as_str().unwrap_or_default();
            calls.extend(block["name"].as_str().map(str::to_owned));
        }
        text += event["delta"]["text"].as_str().unwrap_or_default();
        starts += usize::from(event["type"] == "message_start");
        if let Some(input) = event["usage"]["input_tokens"].as_u64() {
            usage = (input, event["usage"]["output_tokens"].as_u64().expect("a count"));
        }
    }
    assert!(starts <= 1);
    let indexes: Vec<_> = events.iter().filter(|it| it["type"] == "content_block_start").collect();
    assert!(indexes.iter().enumerate().all(|(at, event)| event["index"] == at), "{indexes:?}");
    (text, calls, usage)
}

fn chat_message(round: usize, says: &[Say]) -> Value {
    let text: String =
        says.iter().filter_map(|say| if let Say::Text(text) = say { Some(*text) } else { None }).collect();
    let mut message =
        json!({"role": "assistant", "content": if text.is_empty() { Value::Null } else { text.into() }});
    let calls: Vec<_> = says
        .iter()
        .enumerate()
        .filter_map(|(at, say)| match say {
            Say::Call(name, input) => Some(json!({"id": id(round, at), "type": "function",
                "function": {"name": name, "arguments": input.to_string()}})),
            Say::Text(_) => None,
        })
        .collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

fn chat_usage() -> Value {
    json!({"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT})
}

fn chat(round: usize, says: &[Say]) -> Value {
    let reason = if calls(says) { "tool_calls" } else { "stop" };
    json!({"id": format!("chatcmpl-{round}"), "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": chat_message(round, says), "finish_reason": reason}], "usage": chat_usage()})
}

fn chat_events(round: usize, says: &[Say]) -> String {
    let chunk = |delta: Value, reason: Value| {
        json!({"id": format!("chatcmpl-{round}"), "object": "chat.completion.chunk", "created": round, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    };
    let mut list = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    let mut index = 0;
    for (at, say) in says.iter().enumerate() {
        match say {
            Say::Text(text) => list.push(chunk(json!({"content": text}), Value::Null)),
            Say::Call(name, input) => {
                let call = json!({"index": index, "id": id(round, at), "type": "function",
                    "function": {"name": name, "arguments": ""}});
                list.push(chunk(json!({"tool_calls": [call]}), Value::Null));
                let more = json!({"index": index, "function": {"arguments": input.to_string()}});
                list.push(chunk(json!({"tool_calls": [more]}), Value::Null));
                index += 1;
            }
        }
    }
    list.push(chunk(json!({}), if calls(says) { "tool_calls" } else { "stop" }.into()));
    let mut usage = chunk(json!({}), Value::Null);
    usage["choices"] = json!([]);
    usage["usage"] = chat_usage();
    list.push(usage);
    let lines = list.iter().map(|chunk| format!("data: {chunk}\n\n")).collect::<Vec<_>>().concat();
    lines + "data: [DONE]\n\n"
}

fn got_chat(events: &[Value]) -> (String, Vec<String>, (u64, u64)) {
    let (mut text, mut calls, mut usage) = (String::new(), Vec::new(), (0, 0));
    for event in events {
        let choice = &event["choices"][0];
        for said in [&choice["message"], &choice["delta"]] {
            text += said["content"].as_str().unwrap_or_default();
            for call in said["tool_calls"].as_array().into_iter().flatten() {
                calls.extend(call["function"]["name"].as_str().map(str::to_owned));
            }
        }
        if let Some(read) = event["usage"]["prompt_tokens"].as_u64() {
            usage = (read, event["usage"]["completion_tokens"].as_u64().expect("a count"));
        }
        assert_eq!(event["id"], events[0]["id"]);
    }
    (text, calls, usage)
}

fn responses_item(round: usize, at: usize, say: &Say) -> Value {
    match say {
        Say::Text(text) => {
            json!({"type": "message", "id": format!("item_{round}_{at}"), "status": "completed",
            "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]})
        }
        Say::Call(name, input) => json!({"type": "function_call", "id": format!("item_{round}_{at}"),
            "status": "completed", "call_id": id(round, at), "name": name, "arguments": input.to_string()}),
    }
}

fn responses(round: usize, says: &[Say]) -> Value {
    let output: Vec<_> = says.iter().enumerate().map(|(at, say)| responses_item(round, at, say)).collect();
    json!({"id": format!("resp_{round}"), "object": "response", "status": "completed", "model": "m", "output": output,
        "usage": {"input_tokens": INPUT, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": OUTPUT,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": INPUT + OUTPUT}})
}

fn responses_events(round: usize, says: &[Say]) -> String {
    let done = responses(round, says);
    let mut begun = done.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let mut list = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (at, say) in says.iter().enumerate() {
        let item = responses_item(round, at, say);
        let name = item["id"].clone();
        let mut added = item.clone();
        added["status"] = json!("in_progress");
        let delta = match say {
            Say::Text(text) => {
                added["content"] = json!([]);
                json!({"type": "response.output_text.delta", "item_id": name, "output_index": at, "content_index": 0, "delta": text})
            }
            Say::Call(_, input) => {
                added["arguments"] = json!("");
                json!({"type": "response.function_call_arguments.delta", "item_id": name, "output_index": at, "delta": input.to_string()})
            }
        };
        list.push(json!({"type": "response.output_item.added", "output_index": at, "item": added}));
        list.push(delta);
        list.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    list.push(json!({"type": "response.completed", "response": done}));
    for (at, event) in list.iter_mut().enumerate() {
        event["sequence_number"] = json!(at);
    }
    events(&list)
}

fn got_responses(events: &[Value]) -> (String, Vec<String>, (u64, u64)) {
    let last = events.last().expect("an event");
    let response = if last["response"].is_null() { last } else { &last["response"] };
    let (mut text, mut calls) = (String::new(), Vec::new());
    for item in response["output"].as_array().into_iter().flatten() {
        text += item["content"][0]["text"].as_str().unwrap_or_default();
        calls.extend(item["name"].as_str().map(str::to_owned));
    }
    let deltas: String = events
        .iter()
        .filter(|event| event["type"] == "response.output_text.delta")
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert!(events.len() == 1 || deltas == text, "{deltas} / {text}");
    assert!(events.len() == 1 || events.iter().enumerate().all(|(at, event)| event["sequence_number"] == at));
    let count = |name: &str| response["usage"][name].as_u64().unwrap_or_default();
    (text, calls, (count("input_tokens"), count("output_tokens")))
}

fn gemini(round: usize, says: &[Say], is_last: bool) -> Value {
    let part = |say: &Say| match say {
        Say::Text(text) => json!({"text": text}),
        Say::Call(name, args) => json!({"functionCall": {"name": name, "args": args}}),
    };
    let parts: Vec<_> = says.iter().map(part).collect();
    let mut value = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "usageMetadata": {"promptTokenCount": INPUT, "candidatesTokenCount": OUTPUT, "totalTokenCount": INPUT + OUTPUT},
        "modelVersion": "g", "responseId": format!("r{round}")});
    if is_last {
        value["candidates"][0]["finishReason"] = json!("STOP");
    }
    value
}

fn gemini_events(round: usize, says: &[Say]) -> String {
    let chunk = |at: usize| gemini(round, &says[at..=at], at + 1 == says.len());
    (0..says.len()).map(|at| format!("data: {}\r\n\r\n", chunk(at))).collect::<Vec<_>>().concat()
}

fn got_gemini(events: &[Value]) -> (String, Vec<String>, (u64, u64)) {
    let (mut text, mut calls, mut usage) = (String::new(), Vec::new(), (0, 0));
    for event in events {
        for part in event["candidates"][0]["content"]["parts"].as_array().into_iter().flatten() {
            text += part["text"].as_str().unwrap_or_default();
            calls.extend(part["functionCall"]["name"].as_str().map(str::to_owned));
        }
        let count = |name: &str| event["usageMetadata"][name].as_u64().unwrap_or_default();
        usage = (count("promptTokenCount"), count("candidatesTokenCount"));
    }
    (text, calls, usage)
}

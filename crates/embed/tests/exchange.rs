//! Requests and responses in pieces: the hidden tool is answered here, and the client sees one response without it.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use serde_json::{Value, json};
use tersely_embed::{Exchange, Library};

fn log() -> String {
    (0..3000).map(|n| format!("INFO worker {} finished batch {n}", n % 7)).collect::<Vec<_>>().join("\n")
}

fn chat(more: &Value) -> Vec<u8> {
    let mut body = json!({
        "model": "gpt-5",
        "tools": [{ "type": "function", "function": { "name": "bash", "parameters": {} } }],
        "messages": [
            { "role": "user", "content": "What failed?" },
            { "role": "assistant", "content": null, "tool_calls":
                [{ "id": "c1", "type": "function", "function": { "name": "bash", "arguments": "{}" } }] },
            { "role": "tool", "tool_call_id": "c1", "content": log() },
        ],
    });
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    body.to_string().into_bytes()
}

fn open(library: &Library, path: &str, body: &[u8]) -> (Value, Exchange) {
    let options = json!({ "path": path, "retrieve": true }).to_string();
    let (reply, exchange) = library.open(&options, body).expect("an answer");
    (serde_json::from_slice(&reply.payload).expect("JSON"), exchange.expect("a hidden tool"))
}

/// The id that stands in a text behind `<<<SHADOW:`.
fn id(text: &str) -> String {
    let (_, rest) = text.split_once("<<<SHADOW:").expect("a mark");
    rest.split(">>>").next().unwrap_or_default().to_owned()
}

#[test]
fn a_hidden_call_in_a_whole_response_is_answered() {
    let library = Library::default();
    let (sent, mut exchange) = open(&library, "/v1/chat/completions", &chat(&json!({})));
    assert_eq!(sent["tools"][1]["function"]["name"], "expand_context");
    let id = id(sent["messages"][2]["content"].as_str().expect("a text"));
    let arguments = json!({ "id": id, "part": "lines 1-1" }).to_string();
    let call = json!({ "id": "h1", "type": "function", "function": { "name": "expand_context", "arguments": arguments } });
    let first = json!({ "id": "x", "object": "chat.completion", "choices": [{ "index": 0, "finish_reason": "tool_calls",
        "message": { "role": "assistant", "content": null, "tool_calls": [call] } }] });
    exchange.begin("application/json; charset=utf-8");
    assert_eq!(exchange.see(first.to_string().as_bytes()), b"");
    let step = exchange.end();
    assert_eq!(step.out, b"");
    let next: Value = serde_json::from_slice(&step.send.expect("another round")).expect("JSON");
    let last = next["messages"].as_array().and_then(|list| list.last()).expect("a message");
    assert_eq!(last["content"], "INFO worker 0 finished batch 0\n");
    let second = json!({ "id": "y", "object": "chat.completion", "choices": [{ "index": 0, "finish_reason": "stop",
        "message": { "role": "assistant", "content": "All is well." } }] });
    let mut said = exchange.see(second.to_string().as_bytes());
    let step = exchange.end();
    said.extend(step.out);
    assert_eq!(step.send, None);
    let said: Value = serde_json::from_slice(&said).expect("JSON");
    assert_eq!(said["choices"][0]["message"]["content"], "All is well.");
    assert!(!said.to_string().contains("expand_context"));
}

/// Behaviour 27.4.
#[test]
fn a_hidden_call_in_the_middle_of_a_stream_is_answered() {
    let library = Library::default();
    let (sent, mut exchange) = open(&library, "/v1/chat/completions", &chat(&json!({ "stream": true })));
    let id = id(sent["messages"][2]["content"].as_str().expect("a text"));
    let event = |delta: Value, end: Value| {
        let chunk = json!({ "id": "x", "object": "chat.completion.chunk", "choices":
            [{ "index": 0, "delta": delta, "finish_reason": end }] });
        format!("data: {chunk}\n\n")
    };
    let arguments = json!({ "id": id }).to_string();
    let call = json!({ "tool_calls": [{ "index": 0, "id": "h1", "type": "function",
        "function": { "name": "expand_context", "arguments": arguments } }] });
    exchange.begin("text/event-stream");
    let mut said = exchange
        .see(event(json!({ "role": "assistant", "content": "Let me look. " }), Value::Null).as_bytes());
    assert!(!said.is_empty(), "what is not hidden passes at once");
    for piece in (event(call, Value::Null) + &event(json!({}), json!("tool_calls")) + "data: [DONE]\n\n")
        .as_bytes()
        .chunks(7)
    {
        said.extend(exchange.see(piece));
    }
    let step = exchange.end();
    said.extend(step.out);
    let next: Value = serde_json::from_slice(&step.send.expect("another round")).expect("JSON");
    let last = next["messages"].as_array().and_then(|list| list.last()).expect("a message");
    assert_eq!(last["content"], json!(log()));
    said.extend(exchange.see(event(json!({ "content": "Nothing failed." }), json!("stop")).as_bytes()));
    said.extend(exchange.see(b"data: [DONE]\n\n"));
    let step = exchange.end();
    said.extend(step.out);
    assert_eq!(step.send, None);
    let said = String::from_utf8(said).expect("UTF-8");
    assert!(
        said.contains("Let me look. ")
            && said.contains("Nothing failed.")
            && !said.contains("expand_context")
    );
    assert_eq!(said.matches("[DONE]").count(), 1);
}

/// Behaviour 27.4.
#[test]
fn a_round_that_fails_ends_the_response_with_its_error() {
    let library = Library::default();
    let (sent, mut exchange) = open(&library, "/v1/chat/completions", &chat(&json!({})));
    let id = id(sent["messages"][2]["content"].as_str().expect("a text"));
    let arguments = json!({ "id": id }).to_string();
    let call = json!({ "id": "h1", "type": "function", "function": { "name": "expand_context", "arguments": arguments } });
    let first = json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls",
        "message": { "role": "assistant", "content": null, "tool_calls": [call] } }] });
    exchange.begin("application/json");
    exchange.see(first.to_string().as_bytes());
    assert!(exchange.end().send.is_some());
    let said = String::from_utf8(exchange.fail(529, "overloaded")).expect("UTF-8");
    assert!(said.contains("overloaded") && !said.contains("expand_context"), "{said}");
}

/// Behaviour 27.4.
#[test]
fn a_model_that_asks_without_end_is_stopped() {
    let library = Library::default();
    let (sent, mut exchange) = open(&library, "/v1/chat/completions", &chat(&json!({})));
    let id = id(sent["messages"][2]["content"].as_str().expect("a text"));
    let mut rounds = 0;
    loop {
        let arguments = json!({ "id": id, "part": format!("lines {0}-{0}", rounds + 1) }).to_string();
        let call = json!({ "id": "h1", "type": "function", "function": { "name": "expand_context", "arguments": arguments } });
        let turn = json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls",
            "message": { "role": "assistant", "content": null, "tool_calls": [call] } }] });
        exchange.begin("application/json");
        exchange.see(turn.to_string().as_bytes());
        if exchange.end().send.is_none() {
            break;
        }
        rounds += 1;
    }
    assert_eq!(rounds, 5);
}

/// Behaviour 27.5.
#[test]
fn what_a_provider_stores_is_answered_in_a_later_request() {
    let library = Library::default();
    let item = |output: &str| json!({ "type": "function_call_output", "call_id": "c", "output": output });
    let tools = json!([{ "type": "function", "name": "bash", "parameters": {} }]);
    let first = json!({ "model": "gpt-5", "tools": tools, "input": [item(&log())] }).to_string();
    let (sent, _) = open(&library, "/v1/responses", first.as_bytes());
    let id = id(sent["input"][0]["output"].as_str().expect("a text"));
    let later = json!({ "model": "gpt-5", "tools": tools, "previous_response_id": "resp_1", "input": [item("done")] });
    let (_, mut exchange) = open(&library, "/v1/responses", later.to_string().as_bytes());
    let arguments = json!({ "id": id, "part": "lines 2-2" }).to_string();
    let answer = json!({ "id": "resp_2", "object": "response", "status": "completed", "output": [
        { "type": "function_call", "id": "fc", "call_id": "h", "name": "expand_context", "arguments": arguments, "status": "completed" }] });
    exchange.begin("application/json");
    exchange.see(answer.to_string().as_bytes());
    let next = String::from_utf8(exchange.end().send.expect("another round")).expect("UTF-8");
    assert!(next.contains("INFO worker 1 finished batch 1"), "{next}");
}

/// Behaviour 27.4.
#[test]
fn what_is_not_for_a_model_goes_out_as_it_is() {
    let library = Library::default();
    for (path, body) in
        [("/v1/files", &b"{\"a\": 1}"[..]), ("/v1/messages", b"not JSON"), ("/v1/embeddings", b"{}")]
    {
        let options = json!({ "path": path, "retrieve": true }).to_string();
        let (reply, exchange) = library.open(&options, body).expect("an answer");
        assert_eq!(reply.payload, body, "{path}");
        assert!(exchange.is_none(), "{path}");
    }
    assert!(library.open("{}", b"{}").is_err_and(|why| why.to_string().starts_with("path: ")));
}

#[test]
fn without_retrieval_nothing_is_omitted_and_nothing_watched() {
    let library = Library::default();
    let options = json!({ "path": "/v1/chat/completions" }).to_string();
    let (reply, exchange) = library.open(&options, &chat(&json!({}))).expect("an answer");
    assert!(exchange.is_none());
    let sent = String::from_utf8(reply.payload).expect("UTF-8");
    assert!(!sent.contains("SHADOW") && !sent.contains("expand_context"));
}

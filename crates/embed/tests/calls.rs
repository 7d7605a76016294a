//! The operations over every conversation and output at hand: the same bytes as the engine, and back.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly")]

use serde_json::{Map, Value, json};
use tersely_core::{Call, Loss, Plan, Redaction, compress};
use tersely_embed::{EmbedError, Library, OPERATIONS};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, Request};
use tersely_testing::corpus::{SampleTranscript, conversations, outputs};

fn engine(loss: Loss, expand: ExpandOffer) -> Engine {
    let plan = Plan { loss, redact: Redaction::Off, ..Plan::default() };
    Engine::new(EngineSettings { plan, expand, ..EngineSettings::default() })
}

fn call(library: &Library, operation: &str, options: &Value, payload: &[u8]) -> (Value, Vec<u8>) {
    let reply = library.call(operation, &options.to_string(), payload).expect("an answer");
    (serde_json::from_str(&reply.about).expect("an account"), reply.payload)
}

/// The model and the messages of a conversation.
fn question(sample: &SampleTranscript) -> (Option<Value>, Vec<Value>) {
    let mut body: Map<String, Value> = serde_json::from_slice(&sample.body).expect("JSON");
    let Some(Value::Array(messages)) = body.remove(sample.list) else {
        panic!("{}: no messages", sample.name)
    };
    (body.remove("model"), messages)
}

fn ask(model: Option<&Value>, messages: &[Value]) -> Vec<u8> {
    let mut question = Map::from_iter([("messages".to_owned(), Value::from(messages))]);
    question.extend(model.map(|model| ("model".to_owned(), model.clone())));
    Value::from(question).to_string().into_bytes()
}

fn compressed(library: &Library, options: &Value, model: Option<&Value>, messages: &[Value]) -> Vec<Value> {
    let (_, payload) = call(library, "messages", options, &ask(model, messages));
    let mut answer: Value = serde_json::from_slice(&payload).expect("JSON");
    let Value::Array(changes) = answer["messages"].take() else { panic!("no messages") };
    apply(messages, changes)
}

/// The messages with their changes: `null` stands for one that did not change.
fn apply(messages: &[Value], changes: Vec<Value>) -> Vec<Value> {
    assert_eq!(messages.len(), changes.len());
    let pairs = messages.iter().zip(changes);
    pairs.map(|(came, now)| if now.is_null() { came.clone() } else { now }).collect()
}

/// Behaviour 27.1.
#[test]
fn a_request_becomes_what_the_gateway_sends() {
    let library = Library::default();
    for sample in conversations() {
        let (about, body) =
            call(&library, "request", &json!({ "provider": sample.provider.name() }), &sample.body);
        let engine = engine(Loss::Detail, ExpandOffer::Auto);
        let sent = engine.pass(&Request::new(sample.provider, ""), &sample.body).expect("a body");
        assert!(*sent.body == *body, "{}", sample.name);
        let tokens = sent.report.record.result_tokens;
        assert_eq!((&about["before"], &about["after"]), (&json!(tokens.before), &json!(tokens.after)));
    }
}

#[test]
fn messages_are_those_of_the_compressed_request() {
    let library = Library::default();
    for sample in conversations() {
        let (model, messages) = question(&sample);
        let now =
            compressed(&library, &json!({ "format": sample.provider.name() }), model.as_ref(), &messages);
        let mut body = Map::new();
        body.extend(model.map(|model| ("model".to_owned(), model)));
        body.insert(sample.list.to_owned(), Value::from(messages));
        let body = Value::from(body).to_string();
        let engine = engine(Loss::Form, ExpandOffer::Never);
        let sent = engine.pass(&Request::new(sample.provider, ""), body.as_bytes()).expect("a body");
        let sent: Value = serde_json::from_slice(&sent.body).expect("JSON");
        assert!(sent[sample.list] == Value::from(now), "{}", sample.name);
    }
}

/// Behaviour 27.1.
#[test]
fn a_message_keeps_its_bytes_as_the_conversation_grows() {
    let library = Library::default();
    for sample in conversations().into_iter().take(8) {
        let (model, messages) = question(&sample);
        let options = json!({ "format": sample.provider.name() });
        let whole = compressed(&Library::default(), &options, model.as_ref(), &messages);
        for count in 1..messages.len() {
            let now = compressed(&library, &options, model.as_ref(), &messages[..count]);
            assert!(now == whole[..count], "{}: {count} messages", sample.name);
        }
    }
}

#[test]
fn what_loses_nothing_comes_back() {
    let library = Library::default();
    for sample in conversations() {
        let (model, messages) = question(&sample);
        let options = json!({ "format": sample.provider.name(), "loss": "none" });
        let now = compressed(&library, &options, model.as_ref(), &messages);
        let format = json!({ "format": sample.provider.name() });
        let (_, payload) = call(&library, "restore_messages", &format, &ask(None, &now));
        let mut back: Value = serde_json::from_slice(&payload).expect("JSON");
        let Value::Array(changes) = back["messages"].take() else { panic!("no messages") };
        assert!(apply(&now, changes) == messages, "{}", sample.name);
    }
}

#[test]
fn a_text_becomes_what_the_command_prints_and_comes_back() {
    let library = Library::default();
    for output in outputs() {
        let (about, text) = call(&library, "text", &json!({ "loss": "none" }), output.text.as_bytes());
        let plan = Plan { loss: Loss::None, redact: Redaction::Off, ..Plan::default() };
        let expected = compress(&plan, Call::default(), &output.text);
        assert_eq!(about["after"], json!(expected.ledger.after), "{}", output.name);
        let (_, back) = call(&library, "restore", &json!({}), &text);
        assert!(back == output.text.as_bytes(), "{}", output.name);
    }
}

#[test]
fn the_format_is_found_in_the_messages() {
    let rows =
        Value::from((0..40).map(|n| json!({ "number": n, "state": "open" })).collect::<Vec<_>>()).to_string();
    for (format, message) in [
        ("chat", json!({ "role": "tool", "tool_call_id": "c", "content": rows })),
        (
            "anthropic",
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": rows }] }),
        ),
        ("responses", json!({ "type": "function_call_output", "call_id": "c", "output": rows })),
        (
            "gemini",
            json!({ "role": "user", "parts": [{ "functionResponse": { "name": "f", "response": { "output": rows } } }] }),
        ),
    ] {
        let (about, _) = call(&Library::default(), "messages", &json!({}), &ask(None, &[message]));
        assert_eq!((&about["provider"], &about["changed"]), (&json!(format), &json!(1)));
    }
}

/// A conversation with a long log, of which most is omitted.
fn long_log() -> Vec<Value> {
    let log: Vec<_> = (0..3000).map(|n| format!("INFO worker {} finished batch {n}", n % 7)).collect();
    vec![json!({ "role": "tool", "tool_call_id": "c", "content": log.join("\n") })]
}

/// Behaviour 27.2.
#[test]
fn detail_is_omitted_only_where_it_can_be_fetched_back() {
    let library = Library::default();
    let messages = long_log();
    let (about, _) = call(&library, "messages", &json!({}), &ask(None, &messages));
    assert_eq!(about["omitted"], json!([]));
    let tools = json!([{ "type": "function", "function": { "name": "bash" } }]);
    let question = json!({ "messages": messages, "tools": tools }).to_string();
    let (about, payload) = call(&library, "messages", &json!({ "retrieve": true }), question.as_bytes());
    let answer: Value = serde_json::from_slice(&payload).expect("JSON");
    assert_eq!(answer["tools"][1]["function"]["name"], "expand_context");
    let id = &about["omitted"][0];
    for question in [question, json!({ "messages": messages }).to_string()] {
        let (_, part) =
            call(&library, "expand", &json!({ "id": id, "part": "lines 10-11" }), question.as_bytes());
        assert_eq!(part, b"INFO worker 2 finished batch 9\nINFO worker 3 finished batch 10\n");
        let (_, whole) = call(&library, "expand", &json!({ "id": id }), question.as_bytes());
        assert_eq!(Value::from(String::from_utf8(whole).expect("UTF-8")), messages[0]["content"]);
        let (_, none) = call(&library, "expand", &json!({ "id": "shadow_0" }), question.as_bytes());
        assert!(none.starts_with(b"Nothing is kept under"));
    }
}

#[test]
fn who_observes_gets_what_they_gave_and_the_numbers() {
    let messages = ask(None, &long_log());
    let (about, payload) = call(&Library::default(), "messages", &json!({ "observe": true }), &messages);
    assert_eq!(payload, br#"{"messages":[null]}"#);
    assert!(about["after"].as_u64() < about["before"].as_u64());
}

/// Behaviour 27.3.
#[test]
fn hostile_content_is_no_error() {
    let library = Library::default();
    for messages in [
        "[]".to_owned(),
        r#"[{"role":"tool","content":null}]"#.to_owned(),
        r#"[{"role":7,"content":[[[]]]},{}]"#.to_owned(),
        r#"[{"role":"tool","content":"\ud800 <<<SHADOW:shadow_0>>> [layout1 json: compact]"}]"#.to_owned(),
        format!(r#"[{{"role":"tool","content":{}1{}}}]"#, "[".repeat(5000), "]".repeat(5000)),
    ] {
        let question = format!(r#"{{"messages":{messages}}}"#);
        let (_, payload) = call(&library, "messages", &json!({ "retrieve": true }), question.as_bytes());
        let answer: Value = serde_json::from_slice(&payload).expect("JSON");
        let changes = answer["messages"].as_array().expect("a list");
        let same = changes.iter().all(Value::is_null) || messages.contains("SHADOW");
        assert!(same, "{}", String::from_utf8_lossy(&payload));
    }
}

/// Behaviour 27.3.
#[test]
fn a_wrong_argument_is_named() {
    let library = Library::default();
    let said = |operation: &str, options: &str, payload: &[u8]| {
        let error = library.call(operation, options, payload).expect_err("an error");
        assert!(matches!(error, EmbedError::Argument(..)), "{error}");
        error.to_string()
    };
    assert!(said("nap", "", b"").starts_with("operation: \"nap\" is not one of text, "));
    assert!(said("messages", "", b"[]").starts_with("messages: must be a list"));
    assert!(said("messages", "", b"{").starts_with("messages: not JSON"));
    assert!(said("messages", "", br#"{"messages":[1]}"#).starts_with("messages: must be a list"));
    assert!(said("expand", "", br#"{"messages":[]}"#).starts_with("id: must be"));
    assert!(said("text", "", b"\xff").starts_with("text: byte 0 is not UTF-8"));
    assert_eq!(OPERATIONS.len(), 7);
}

/// Behaviour 27.3.
#[test]
fn every_form_is_decoded() {
    let library = Library::default();
    let decode = |options: Value, text: &str| {
        let (about, payload) = call(&library, "decode", &options, text.as_bytes());
        (about["kind"].as_str().unwrap_or_default().to_owned(), String::from_utf8(payload).expect("UTF-8"))
    };
    let json = |text: &str| ("json".to_owned(), text.to_owned());
    assert_eq!(decode(json!({}), "2 rows\na,b\n1,2\n3,4"), json(r#"[{"a":1,"b":2},{"a":3,"b":4}]"#));
    assert_eq!(decode(json!({ "form": "toon" }), "a: 1\nb: 2\n"), json(r#"{"a":1,"b":2}"#));
    assert_eq!(decode(json!({}), "2 rows\na\n1\n2\n[layout1 json: spaced]"), json(r#"[{"a": 1}, {"a": 2}]"#));
    assert_eq!(decode(json!({}), "plain words").0, "text");
    assert_eq!(decode(json!({}), " \n"), ("text".to_owned(), " \n".to_owned()));
    let damaged = library.call("decode", "", b"3 rows\na\n1\n[layout1 json: spaced]").expect_err("damaged");
    assert!(matches!(damaged, EmbedError::Content(_)), "{damaged}");
    let part = format!("<<<SHADOW:shadow_{}>>>\nx", "0".repeat(32));
    for operation in ["decode", "restore"] {
        let partial = library.call(operation, "", part.as_bytes()).expect_err("partial");
        assert!(partial.to_string().starts_with("detail was left out"), "{partial}");
    }
}

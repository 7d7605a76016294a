//! Checks that `call_tool` calls reach the client as calls of its own tools, in pieces of any size.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tersely_testing::mutate;
use tersely_wire::bridge::{CallBridge, ToolNames};
use tersely_wire::hidden::{HiddenNames, ResponseFraming, ResponseWatch};
use tersely_wire::{HistoryPlace, claimed_provider};

const NAMES: HiddenNames = HiddenNames::new(&["search_tools", "call_tool"]);

/// The tools as the client listed them.
const LISTED: &str = r#"[{"type":"function","name":"get_map","parameters":{}}, {"type":"web_search"}]"#;

fn watch(path: &str, framing: ResponseFraming) -> Box<dyn ResponseWatch> {
    let provider = claimed_provider(path).expect("a provider");
    let watch = provider.hides(path).expect("hides").watch(NAMES, framing, HistoryPlace::Here);
    let tools = Arc::new(ToolNames::from(["get_map".to_owned()]));
    let calls = CallBridge { call: "call_tool", tools, listed: Arc::from(LISTED.as_bytes()) };
    provider.bridges().expect("bridges").bridge(calls, framing, watch)
}

/// What the client gets of a response in pieces of `step` bytes.
fn seen(path: &str, framing: ResponseFraming, response: &[u8], step: usize) -> String {
    let (mut watch, mut out) = (watch(path, framing), Vec::new());
    for piece in response.chunks(step) {
        watch.see(piece, &mut out);
    }
    watch.end(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Behaviour 18.4.
fn check(path: &str, response: &str, expected: &str) {
    let framing = if response.starts_with('{') { ResponseFraming::Whole } else { ResponseFraming::Events };
    for step in 1..=response.len() {
        assert_eq!(seen(path, framing, response.as_bytes(), step), expected, "{path} by {step}");
    }
    let mut seed = 7;
    for _ in 0..2_000 {
        let bad = mutate(&mut seed, response.as_bytes());
        let sound = catch_unwind(AssertUnwindSafe(|| seen(path, framing, &bad, 64)));
        assert!(sound.is_ok(), "panicked at {}", String::from_utf8_lossy(&bad));
    }
}

#[test]
fn messages_of_anthropic() {
    check(
        "/v1/messages",
        r#"{"content":[{"type":"tool_use","id":"1","name":"call_tool","input":{"name":"get_map","arguments":{"at": 1.50}}}],"stop_reason":"tool_use"}"#,
        r#"{"content":[{"type":"tool_use","id":"1","name":"get_map","input":{"at": 1.50}}],"stop_reason":"tool_use"}"#,
    );
    let start = |name: &str| {
        format!(
            "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"{name}\",\"input\":{{}}}}}}\n\n"
        )
    };
    let delta = |json: &str| {
        let json = json.replace('"', "\\\"");
        format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{json}\"}}}}\n\n"
        )
    };
    let end = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n";
    let pieces = [r#"{"name":"ge"#, r#"t_map","argu"#, r#"ments":{"at": 1.50}}"#].map(delta).concat();
    check(
        "/v1/messages",
        &format!("{}{pieces}{end}", start("call_tool")),
        &format!("{}{}{end}", start("get_map"), delta(r#"{"at": 1.50}"#)),
    );
}

#[test]
fn chat_completions() {
    check(
        "/v1/chat/completions",
        r#"{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"call_tool","arguments":"{\"name\":\"get_map\",\"arguments\":{\"at\": 1.50}}"}}]},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"get_map","arguments":"{\"at\": 1.50}"}}]},"finish_reason":"tool_calls"}]}"#,
    );
    let chunk = |delta: &str, reason: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{reason}}}]}}\n\n")
    };
    let call = |name: &str, arguments: &str| {
        let arguments = arguments.replace('"', "\\\"");
        format!(r#"{{"index":0,"id":"1","function":{{"name":"{name}","arguments":"{arguments}"}}}}"#)
    };
    let more = |arguments: &str| {
        let arguments = arguments.replace('"', "\\\"");
        chunk(
            &format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{arguments}"}}}}]}}"#),
            "null",
        )
    };
    let other = r#"{"index":1,"id":"2","function":{"name":"get_map","arguments":"{}"}}"#;
    let begun = format!(r#"{{"role":"assistant","tool_calls":[{}]}}"#, call("call_tool", r#"{"name":"#));
    let pieces = [r#""get_map","argu"#, r#"ments":{"at": 1.50}}"#].map(more).concat();
    let last = chunk(&format!(r#"{{"tool_calls":[{other}]}}"#), "null") + &chunk("{}", "\"tool_calls\"");
    check(
        "/v1/chat/completions",
        &format!("{}{pieces}{last}data: [DONE]\n\n", chunk(&begun, "null")),
        &format!(
            "{}{}{last}data: [DONE]\n\n",
            chunk(r#"{"role":"assistant"}"#, "null"),
            chunk(&format!(r#"{{"tool_calls":[{}]}}"#, call("get_map", r#"{"at": 1.50}"#)), "null"),
        ),
    );
}

#[test]
fn chat_completions_all_at_once() {
    let chunk = |calls: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{calls}]}},\"finish_reason\":\"tool_calls\"}}]}}\n\n"
        )
    };
    let call = r#"{"index":0,"id":"1","function":{"name":"call_tool","arguments":"{\"name\":\"get_map\"}"}}"#;
    let got = seen("/v1/chat/completions", ResponseFraming::Events, chunk(call).as_bytes(), 4096);
    assert!(got.contains(r#""name":"get_map","arguments":"{}""#) && !got.contains("call_tool"), "{got}");
    assert_eq!(got.matches("\"tool_calls\"}").count(), 1, "{got}");
}

/// Behaviour 18.4: some servers send a name in parts, and some repeat it.
#[test]
fn chat_completions_with_names_in_pieces() {
    let chunk = |calls: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{calls}]}},\"finish_reason\":null}}]}}\n\n"
        )
    };
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    let first = |name: &str, given: &str| {
        format!(r#"{{"index":0,"id":"1","function":{{"name":"{name}","arguments":"{given}"}}}}"#)
    };
    let more = |name: &str| format!(r#"{{"index":0,"function":{{"name":"{name}"}}}}"#);
    let given = |given: &str| format!(r#"{{"index":0,"function":{{"arguments":"{given}"}}}}"#);
    let wrapped = given(r#"{\"name\":\"get_map\",\"arguments\":{\"at\": 1.50}}"#);
    let plain = chunk(&first("get_map", r#"{\"at\": 1.50}"#));
    for names in [vec!["_tool"], vec!["_", "to", "ol"], vec!["call_tool"]] {
        let names: String = names.into_iter().map(|name| chunk(&more(name))).collect();
        let response = format!("{}{names}{}{end}", chunk(&first("call", "")), chunk(&wrapped));
        check("/v1/chat/completions", &response, &format!("{plain}{end}"));
    }
    // A tool of the client whose name starts the same stays unchanged.
    for (names, whole) in [(vec!["_home"], "call_home"), (vec![], "call")] {
        let names: String = names.into_iter().map(|name| chunk(&more(name))).collect();
        let response = format!("{}{names}{}{end}", chunk(&first("call", "")), chunk(&given("{}")));
        let got = seen("/v1/chat/completions", ResponseFraming::Events, response.as_bytes(), 64);
        assert!(got.contains(&format!(r#""name":"{whole}""#)), "{got}");
        assert_eq!(got.matches(r#""arguments":"{}""#).count(), 1, "{got}");
        assert!(got.ends_with(end), "{got}");
    }
}

/// Behaviour 18.4: if a server repeats its array of tools, the client sees its own.
#[test]
fn responses_list_the_tools_of_the_client() {
    let shown = r#"[{"type":"function","name":"search_tools"},{"type":"function","name":"call_tool"}]"#;
    let whole =
        |tools: &str| format!(r#"{{"id":"r","status":"completed","output":[],"tools":{tools},"n":1}}"#);
    check("/v1/responses", &whole(shown), &whole(LISTED));
    let event = |kind: &str, tools: &str| {
        format!(
            "event: response.{kind}\ndata: {{\"type\":\"response.{kind}\",\"response\":{}}}\n\n",
            whole(tools)
        )
    };
    let told =
        |tools: &str| event("created", tools) + &event("in_progress", tools) + &event("completed", tools);
    check("/v1/responses", &told(shown), &told(LISTED));
}

#[test]
fn responses() {
    let item = |name: &str, arguments: &str| {
        let arguments = arguments.replace('"', "\\\"");
        format!(r#"{{"type":"function_call","call_id":"1","name":"{name}","arguments":"{arguments}"}}"#)
    };
    let whole = |item: &str| format!(r#"{{"id":"r","status":"completed","output":[{item}]}}"#);
    let (wrapped, plain) = (r#"{"name":"get_map","arguments":{"at": 1.50}}"#, r#"{"at": 1.50}"#);
    check("/v1/responses", &whole(&item("call_tool", wrapped)), &whole(&item("get_map", plain)));
    let event = |kind: &str, rest: &str| {
        format!(
            "event: response.{kind}\ndata: {{\"type\":\"response.{kind}\",\"output_index\":0,{rest}}}\n\n"
        )
    };
    let told = |name: &str, deltas: [&str; 2], arguments: &str| {
        let quoted = deltas.map(|delta| format!("\"delta\":\"{}\"", delta.replace('"', "\\\"")));
        let done = format!("\"arguments\":\"{}\"", arguments.replace('"', "\\\""));
        [
            event("output_item.added", &format!("\"item\":{}", item(name, ""))),
            event("function_call_arguments.delta", &quoted[0]),
            event("function_call_arguments.delta", &quoted[1]),
            event("function_call_arguments.done", &done),
            event("output_item.done", &format!("\"item\":{}", item(name, arguments))),
            event("completed", &format!("\"response\":{}", whole(&item(name, arguments)))),
        ]
        .concat()
    };
    let (first, second) = wrapped.split_at(9);
    check(
        "/v1/responses",
        &told("call_tool", [first, second], wrapped),
        &told("get_map", [plain, ""], plain),
    );
}

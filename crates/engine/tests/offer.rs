//! Where the `expand_context` tool is offered, and that nothing is cut where it is not.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use serde_json::{Value, json};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, Request};
use tersely_wire::PROVIDERS;

/// Bytes from which on `auto` offers the tool.
const MIN_HEAD_BYTES: usize = 24_000;

/// A result from which much can be cut.
fn log(from: usize) -> String {
    let line = |n: usize| format!("2024-01-01T00:00:{:02} worker {n} done\n", n % 60);
    (from..from + 400).map(line).collect::<Vec<_>>().concat()
}

/// A tool with a description of this many bytes.
fn tool(name: &str, bytes: usize) -> Value {
    json!({"name": name, "description": "d".repeat(bytes), "input_schema": {"type": "object"}})
}

/// Requests of a conversation of three turns, each with the tools that its number names.
fn requests(tools: impl Fn(usize) -> Vec<Value>) -> Vec<String> {
    let mut messages = vec![json!({"role": "user", "content": "What is there?"})];
    let mut bodies = Vec::new();
    for turn in 0..3 {
        let id = format!("t{turn}");
        let call =
            json!({"type": "tool_use", "id": id, "name": "sh", "input": {"command": format!("log {turn}")}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": log(turn * 1_000)});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
        let body = json!({"tools": tools(turn), "system": "Be brief.", "messages": messages});
        bodies.push(body.to_string());
    }
    bodies
}

fn sent(expand: ExpandOffer, body: &str) -> String {
    let engine = Engine::new(EngineSettings { expand, ..EngineSettings::default() });
    let request = Request::new(PROVIDERS[0], "/v1/messages");
    let passed = engine.pass(&request, body.as_bytes()).expect("nothing to refuse");
    String::from_utf8(passed.body.into_owned()).expect("text")
}

/// Whether the tool is in a body, which must say the same of what is left out of it.
fn offers(body: &str) -> bool {
    let offers = body.contains(r#""name":"expand_context""#);
    assert_eq!(body.contains("<<<SHADOW:"), offers, "{body}");
    offers
}

/// The part between the tools and the last bracket of the messages.
fn conversation(body: &str) -> &str {
    let (_, messages) = body.split_once(r#""messages":["#).expect("messages");
    messages.strip_suffix("]}").expect("the end")
}

/// Behaviour 6.14: which results there are changes nothing.
#[test]
fn all_of_a_conversation_has_the_tool_or_none_of_it() {
    for (bytes, expected) in [(MIN_HEAD_BYTES - 500, false), (MIN_HEAD_BYTES, true)] {
        let bodies: Vec<_> = requests(|_| vec![tool("lookup", bytes)])
            .iter()
            .map(|body| sent(ExpandOffer::Auto, body))
            .collect();
        assert!(bodies.iter().all(|body| offers(body) == expected), "{bytes}");
        for pair in bodies.windows(2) {
            assert!(conversation(&pair[1]).starts_with(conversation(&pair[0])), "{bytes}");
        }
    }
}

/// Behaviour 6.14: the client changed its tools, so the provider reads all of the prompt anew. From there on the
/// conversation has the tool, and keeps it.
#[test]
fn a_head_that_grows_across_the_limit_is_another_head() {
    let grown = |turn| {
        if turn == 0 {
            vec![tool("lookup", 100)]
        } else {
            vec![tool("lookup", 100), tool("more", MIN_HEAD_BYTES)]
        }
    };
    let bodies: Vec<_> = requests(grown).iter().map(|body| sent(ExpandOffer::Auto, body)).collect();
    assert_eq!(bodies.iter().map(|body| offers(body)).collect::<Vec<_>>(), [false, true, true]);
    assert!(conversation(&bodies[2]).starts_with(conversation(&bodies[1])));
}

/// Behaviour 6.14: output of a shell is long, so the tool pays after a short head too, from the first request on.
#[test]
fn a_tool_that_runs_commands_is_enough() {
    for (name, expected) in [("bash", true), ("kubectl_logs", true), ("lookup", false)] {
        let bodies: Vec<_> =
            requests(|_| vec![tool(name, 100)]).iter().map(|body| sent(ExpandOffer::Auto, body)).collect();
        assert!(bodies.iter().all(|body| offers(body) == expected), "{name}");
        for pair in bodies.windows(2) {
            assert!(conversation(&pair[1]).starts_with(conversation(&pair[0])), "{name}");
        }
    }
}

/// Behaviour 6.14: a shell that comes later is another head, as more bytes are.
#[test]
fn a_head_that_gains_a_shell_is_another_head() {
    let grown =
        |turn| if turn == 0 { vec![tool("lookup", 9)] } else { vec![tool("lookup", 9), tool("bash", 9)] };
    let bodies: Vec<_> = requests(grown).iter().map(|body| sent(ExpandOffer::Auto, body)).collect();
    assert_eq!(bodies.iter().map(|body| offers(body)).collect::<Vec<_>>(), [false, true, true]);
    assert!(conversation(&bodies[2]).starts_with(conversation(&bodies[1])));
}

/// Behaviour 6.14: tools that a model has to search for come and go while the cache stays; they decide nothing.
#[test]
fn tools_that_are_not_read_decide_nothing() {
    let deferred = |turn: usize| {
        let mut late = tool("late", MIN_HEAD_BYTES);
        late["defer_loading"] = json!(true);
        [vec![tool("lookup", 100)], vec![late; turn]].concat()
    };
    for body in requests(deferred) {
        assert!(!offers(&sent(ExpandOffer::Auto, &body)));
    }
}

#[test]
fn always_and_never_do_not_ask_for_the_head() {
    for bytes in [100, MIN_HEAD_BYTES] {
        for body in requests(|_| vec![tool("lookup", bytes)]) {
            assert!(offers(&sent(ExpandOffer::Always, &body)));
            assert!(!offers(&sent(ExpandOffer::Never, &body)));
        }
    }
}

/// What is shorter without a loss is so everywhere.
#[test]
fn without_the_tool_exact_forms_remain() {
    let rows: Vec<Value> = (0..60).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    let body = &requests(|_| vec![tool("lookup", 100)])[0];
    let body = body.replace(&json!(log(0)).to_string(), &json!(Value::from(rows).to_string()).to_string());
    let shown = sent(ExpandOffer::Auto, &body);
    assert!(shown.len() < body.len() && !offers(&shown), "{shown}");
}

//! Runs the checks that people make when they turn compression on, one test each: `tersely serve` with another
//! gateway's file, between a client, a model and a compressor.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tersely_core::{O200k, restore};

use crate::stage::{Running, Seen, post, scripted, start};

/// The compressor's answer to every log.
const SHORT: &str = "120 jobs ran on 13 queues.";

/// The model's answer once it has everything it asked for.
const DONE: &str = "Job 7919 was the slowest.";

/// A running gateway with its peers.
struct Place {
    _served: Running,
    address: String,
    /// Requests received by the model and the compressor.
    model: Receiver<Seen>,
    compressor: Receiver<Seen>,
}

/// The compressor: it fails on some logs, and is too slow on others.
fn compress(seen: &Seen) -> (u16, String) {
    if seen.body.contains("a broken log") {
        return (500, "{}".to_owned());
    }
    if seen.body.contains("a slow log") {
        thread::sleep(Duration::from_secs(3));
    }
    (200, json!({"success": true, "data": {"compressed_output": SHORT}}).to_string())
}

/// The model: it fetches the first original it sees, then finishes.
fn answer(seen: &Seen) -> (u16, String) {
    let is_answered = seen.body.contains("expand_1");
    let id = seen.body.split("<<<SHADOW:shadow_").nth(1).and_then(|rest| rest.split(">>>").next());
    let says = match id.filter(|_| !is_answered && seen.body.contains("look closely")) {
        Some(id) => {
            json!({"type": "tool_use", "id": "expand_1", "name": "expand_context", "input": {"id": format!("shadow_{id}")}})
        }
        None => json!({"type": "text", "text": DONE}),
    };
    let reason = if says["type"] == "text" { "end_turn" } else { "tool_use" };
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    if !seen.body.contains(r#""stream":true"#) {
        let message = json!({"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": [says], "stop_reason": reason, "usage": usage});
        return (200, message.to_string());
    }
    let (mut block, delta) = match says["type"].as_str() {
        Some("text") => (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": DONE})),
        _ => (says.clone(), json!({"type": "input_json_delta", "partial_json": says["input"].to_string()})),
    };
    if block["type"] == "tool_use" {
        block["input"] = json!({});
    }
    let events = [
        json!({"type": "message_start", "message": {"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": usage}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ];
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    (200, events.iter().map(event).collect())
}

/// Starts a gateway with the documented file, but with the address of a real compressor and shorter timeouts.
fn place(name: &str) -> Place {
    let (compressor, asked) = scripted(compress);
    let (model, seen) = scripted(answer);
    let printed = include_str!("../fixtures/pipe-api.yaml");
    let file = printed
        .replace("https://your-compression-service", &format!("http://{compressor}"))
        .replace("timeout: 30s", "timeout: 1s");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("checklist-{name}.yaml"));
    fs::write(&path, file).expect("a file");
    let path = path.display().to_string();
    let args =
        ["serve", "--listen", "127.0.0.1:0", "--upstream", &format!("http://{model}"), "--config", &path];
    let served = start(&args, &[("COMPRESR_API_KEY", "their-key"), ("TERSELY_EXPAND", "always")]);
    let address = ready(&served);
    Place { _served: served, address, model: seen, compressor: asked }
}

/// The address, printed after the notes about settings without effect.
fn ready(served: &Running) -> String {
    loop {
        let line = served.line();
        if let Some((_, rest)) = line.split_once("ready on http://") {
            return rest.split(',').next().expect("an address").to_owned();
        }
    }
}

/// A log with these words in which no two lines are alike.
fn log(words: &str, lines: usize) -> String {
    let line =
        |n: usize| format!("{n:05} job {} of queue {} took {} ms\n", n * 7919 % 9973, n % 13, n * 31 % 997);
    format!("{words}\n{}", (0..lines).map(line).collect::<String>())
}

/// A request with this text as a result.
fn turn(question: &str, text: &str, stream: bool) -> String {
    let call = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "jobs"}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": text});
    let messages = json!([{"role": "user", "content": question}, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]);
    json!({"model": "m", "stream": stream, "max_tokens": 9, "tools": [{"name": "Bash", "input_schema": {}}], "messages": messages}).to_string()
}

impl Place {
    /// The client's answer, and the first request that the model received.
    fn ask(&self, body: &str) -> (String, String) {
        let answer = post(&self.address, "/v1/messages", body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        (answer, self.model.recv().expect("a request").body)
    }
}

/// The tool result in a body.
fn result(body: &str) -> String {
    let body: Value = serde_json::from_str(body).expect("JSON");
    body["messages"][2]["content"][0]["content"].as_str().expect("a text").to_owned()
}

/// Behaviour 2.9 and 16.1, check 1.
#[test]
fn tool_results_take_the_route_and_nothing_else_does() {
    let place = place("route");
    let (_, sent) = place.ask(&turn("which was slowest?", &log("a log", 120), false));
    assert!(result(&sent).contains(SHORT), "{sent}");
    assert_eq!(
        place.compressor.iter().next().expect("a call").line,
        "POST /v1/compress/tool-output HTTP/1.1"
    );
    let plain =
        json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": log("said", 120)}]});
    assert_eq!(place.ask(&plain.to_string()).1, plain.to_string());
    assert!(place.compressor.try_recv().is_err());
}

/// Behaviour 16.1, check 2.
#[test]
fn small_outputs_pass_unchanged() {
    let place = place("small");
    let text = &log("a log", 120)[..2048];
    assert_eq!(result(&place.ask(&turn("which?", text, false)).1), text);
    assert!(place.compressor.try_recv().is_err());
}

/// Behaviour 16.1, check 3.
#[test]
fn outputs_above_the_limit_pass_unchanged() {
    let place = place("large");
    let text = log("a log", 3_000);
    assert!(text.len() > 65_536);
    assert_eq!(result(&place.ask(&turn("which?", &text, false)).1), text);
    assert!(place.compressor.try_recv().is_err());
}

/// Behaviour 16.1, check 4.
#[test]
fn compressed_outputs_begin_with_their_reference() {
    let place = place("prefix");
    let (_, sent) = place.ask(&turn("which?", &log("a log", 120), false));
    let shown = result(&sent);
    let rest = shown.strip_prefix("<<<SHADOW:shadow_").expect("a reference");
    let (id, text) = rest.split_once(">>>\n").expect("a line of its own");
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert!(text.contains(SHORT), "{text}");
}

/// Behaviour 16.1, checks 5 and 6.
fn expands(name: &str, stream: bool) {
    let (place, text) = (place(name), log("a log", 120));
    let (answer, first) = place.ask(&turn("look closely", &text, stream));
    assert!(result(&first).starts_with("<<<SHADOW:"), "{first}");
    let second: Value =
        serde_json::from_str(&place.model.recv().expect("a second round").body).expect("JSON");
    let messages = second["messages"].as_array().expect("messages");
    assert_eq!(messages.last().expect("one")["content"][0]["content"], text, "the original, whole");
    assert!(answer.contains(DONE) && !answer.contains("expand_context"), "{answer}");
    if stream {
        assert_eq!(answer.matches("event: message_start").count(), 1, "{answer}");
        assert_eq!(answer.matches("event: message_stop").count(), 1, "{answer}");
    }
}

/// Behaviour 16.1, check 5.
#[test]
fn an_expansion_works_in_a_whole_answer() {
    expands("expand", false);
}

/// Behaviour 16.1, check 6.
#[test]
fn an_expansion_works_in_a_stream() {
    expands("stream", true);
}

/// Behaviour 16.1, check 7.
#[test]
fn a_compressor_that_fails_or_takes_too_long_changes_nothing() {
    let place = place("fallback");
    for words in ["a broken log", "a slow log"] {
        let (answer, sent) = place.ask(&turn("which?", &log(words, 120), false));
        let shown = result(&sent);
        let came = restore(&shown).expect("ours");
        assert!(!shown.contains("<<<SHADOW:") && came.contains("job 7919 of queue 1"), "{words}: {shown}");
        assert!(answer.contains(DONE), "{words}: {answer}");
    }
}

/// The number in a header of an answer.
fn number(answer: &str, name: &str) -> Option<usize> {
    let value = answer.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))?;
    Some(value.trim().parse().unwrap_or_else(|_| panic!("{name}: {value}")))
}

/// Behaviour 16.1, check 8: headers report what was done, what it cost, and what was already known.
#[test]
fn what_became_of_a_result_is_told() {
    let place = place("told");
    let text = log("a log", 120);
    let body = turn("which?", &text, false);
    let (first, sent) = place.ask(&body);
    let (second, again) = place.ask(&body);
    assert_eq!(sent, again);
    let (before, after) = (O200k.count(&text), O200k.count(&result(&sent)));
    for (answer, is_asked) in [(&first, true), (&second, false)] {
        assert_eq!(number(answer, "x-tersely-tokens-before"), Some(before), "{answer}");
        assert_eq!(number(answer, "x-tersely-tokens-after"), Some(after), "{answer}");
        let stages = format!("\r\nx-tersely-stages: api={}\r\n", before - after);
        assert!(answer.contains(&stages), "{stages} {answer}");
        let bill = number(answer, "x-tersely-tokens-compressor");
        assert_eq!(
            bill.is_some_and(|tokens| tokens > before / 2 && tokens < before * 3),
            is_asked,
            "{answer}"
        );
        assert!(is_asked || bill.is_none(), "what is known costs nothing: {answer}");
    }
    let small = place.ask(&turn("which?", "ok", false)).0;
    let told = ["before", "after"].map(|name| number(&small, &format!("x-tersely-tokens-{name}")));
    assert_eq!((told, small.contains("x-tersely-stages")), ([Some(1); 2], false), "{small}");
    assert_eq!(place.compressor.try_iter().count(), 1, "asked about once");
}

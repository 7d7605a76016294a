//! Tests the `tersely eval` command with a scripted model.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails loudly, its helpers too"
)]

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tersely_testing::run::{BinaryRun, BuiltBinary};

const TERSELY: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely"), place: env!("CARGO_TARGET_TMPDIR") };

/// A model's answer to a request: a status and a body.
type Script = dyn Fn(&Value) -> (u16, String) + Send + Sync;

/// A scripted server, and the requests it received.
struct Model {
    url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

fn model(script: impl Fn(&Value) -> (u16, String) + Send + Sync + 'static) -> Model {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (heard, script) = (Arc::clone(&asked), Arc::new(script) as Arc<Script>);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (heard, script) = (Arc::clone(&heard), Arc::clone(&script));
            thread::spawn(move || serve(stream, &heard, &*script));
        }
    });
    Model { url, asked }
}

fn serve(mut stream: TcpStream, asked: &Mutex<Vec<Value>>, script: &Script) -> Option<()> {
    loop {
        let mut bytes = Vec::new();
        let mut part = [0; 16_384];
        let (head, body) = loop {
            let read = stream.read(&mut part).ok().filter(|read| *read > 0)?;
            bytes.extend_from_slice(&part[..read]);
            let text = String::from_utf8_lossy(&bytes);
            let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
            })?;
            if bytes.len() >= head.len() + 4 + length {
                break (head.to_owned(), bytes[head.len() + 4..].to_vec());
            }
        };
        let mut body: Value = serde_json::from_slice(&body).expect("JSON");
        body["path"] = json!(head.split(' ').nth(1));
        asked.lock().unwrap().push(body.clone());
        let (status, answer) = script(&body);
        if status == 0 {
            thread::sleep(Duration::from_secs(30));
        }
        let answer = format!(
            "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\nretry-after: 0\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        stream.write_all(answer.as_bytes()).ok()?;
    }
}

fn said(text: &str) -> (u16, String) {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 3, "prompt_tokens_details": { "cached_tokens": 10 } });
    (
        200,
        json!({ "choices": [{ "message": { "role": "assistant", "content": text } }], "usage": usage })
            .to_string(),
    )
}

/// The tool result in a Chat Completions request.
fn shown(body: &Value) -> String {
    let messages = body["messages"].as_array().expect("messages").iter();
    messages.filter(|it| it["role"] == "tool").map(|it| it["content"].as_str().expect("text")).collect()
}

/// Questions about JSON rows, all with the answer 7.
fn questions(place: &str, count: usize) -> String {
    let rows: Vec<_> = (0..40)
        .map(|at| json!({ "id": at, "kind": "plant", "state": "open", "owner": "team-a", "stock": 7 }))
        .collect();
    let text = serde_json::to_string_pretty(&rows).expect("text");
    let ask = |at: usize| json!({ "text": "rows", "question": format!("How many of the record {at} are in stock?"), "kind": "number", "answer": 7 });
    let asks: Vec<_> = (0..count).map(ask).collect();
    let set = json!({ "texts": [{ "name": "rows", "tool": "bash", "command": "list", "text": text }], "questions": asks });
    TERSELY.file(&format!("eval/{place}/set.json"), set.to_string())
}

fn out(place: &str) -> String {
    let path = TERSELY.file(&format!("eval/{place}/run.jsonl"), "");
    fs::remove_file(&path).expect("removed");
    path
}

fn eval(model: &Model, place: &str, count: usize, more: &str) -> BinaryRun {
    let (set, out) =
        (questions(place, count), format!("{}/eval/{place}/run.jsonl", env!("CARGO_TARGET_TMPDIR")));
    TERSELY
        .run(&format!("eval --upstream {} --model gpt-5 --questions {set} --out {out} {more}", model.url), "")
}

fn object(ran: &BinaryRun) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{} {}", ran.stdout, ran.stderr))
}

#[test]
fn a_model_that_answers_all_loses_nothing() {
    let model = model(|_| said("7"));
    out("good");
    let ran = eval(&model, "good", 8, "--yes --json --html /dev/null");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found = object(&ran);
    assert_eq!(found["arms"]["standard"]["right"], 8);
    assert_eq!(found["against_as_sent"]["exact"]["both_right"], 8);
    assert_eq!(
        found["arms"]["as_sent"]["usage"],
        json!({ "input": 720, "cache_read": 80, "cache_write": 0, "output": 24, "reasoning": 0 })
    );
    let ours = |arm: &str| found["arms"][arm]["tokens_by_our_count"].as_u64().unwrap();
    assert!(ours("exact") < ours("as_sent") / 2, "{found}");
    assert!(ran.stderr.contains("24 requests to") && ran.stderr.contains("about $"), "{}", ran.stderr);
    let asked = model.asked.lock().unwrap();
    assert_eq!(asked.len(), 24);
    let mut heads: Vec<_> = asked.iter().map(|body| body["messages"][0]["content"].to_string()).collect();
    heads.sort();
    heads.dedup();
    assert_eq!(heads.len(), 24, "no two requests begin alike");
    assert!(asked.iter().all(|body| body["path"] == "/v1/chat/completions"));
}

#[test]
fn a_model_that_reads_only_plain_json_is_found_out() {
    let model = model(|body| said(if shown(body).contains("\"stock\": 7") { "7" } else { "8" }));
    out("bad");
    let ran = eval(&model, "bad", 8, "--yes");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("Exact: significantly more answers are wrong"), "{}", ran.stdout);
    out("few");
    assert_eq!(eval(&model, "few", 5, "--yes").code, Some(0), "five of five may be chance");
}

#[test]
fn what_was_left_out_is_fetched_back() {
    let script = |body: &Value| {
        let text = shown(body);
        let tail = |text: &str| said(if text.contains("10:11:40") { "900" } else { "?" });
        let Some((_, rest)) = text.split_once("<<<SHADOW:").filter(|_| !text.contains("10:11:40")) else {
            return tail(&text);
        };
        let id = rest.split_once(">>>").expect("an id").0;
        let call = |id: &str, name: &str, input: Value| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": input.to_string() } });
        let calls = [
            call("c1", "expand_context", json!({ "id": id })),
            call("c2", "bash", json!({ "command": "ls" })),
        ];
        let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
        (200, json!({ "choices": [{ "message": message }] }).to_string())
    };
    let model = model(script);
    let word = |at: usize| ["amber", "birch", "cedar", "delta", "ember"][at % 5];
    let line = |at: usize| {
        let item = at * 7 % 1000;
        let (minute, second) = (at / 60 % 60, at % 60);
        format!("2026-03-02 10:{minute:02}:{second:02} INFO worker {} took item {item}\n", word(at))
    };
    let text: String = (0..1500).map(line).collect();
    let set = json!({ "texts": [{ "name": "a", "command": "kubectl logs shop", "text": text }], "questions": [{ "text": "a", "question": "Which item was taken at 10:11:40?", "kind": "number", "answer": "900" }] });
    let set = TERSELY.file("eval/expand/set.json", set.to_string());
    let ran = TERSELY.run(
        &format!(
            "eval --upstream {} --model gpt-5 --questions {set} --out {} --yes --json",
            model.url,
            out("expand")
        ),
        "",
    );
    let found = object(&ran);
    let standard = &found["arms"]["standard"];
    assert_eq!(
        (&standard["right"], &standard["fetched"], &standard["more_rounds"]),
        (&json!(1), &json!(1), &json!(1)),
        "{found}"
    );
}

#[test]
fn a_run_that_was_cut_short_goes_on() {
    let model = model(|_| said("7"));
    let path = out("torn");
    assert_eq!(eval(&model, "torn", 6, "--yes").code, Some(0));
    let whole = fs::read_to_string(&path).expect("a run");
    let lines: Vec<_> = whole.lines().collect();
    assert_eq!(lines.len(), 19);
    let torn = format!("{}\n{}", lines[..10].join("\n"), &lines[10][..20]);
    fs::write(&path, torn).expect("written");
    let first: Vec<Value> = model.asked.lock().unwrap().drain(..).collect();
    let ran = eval(&model, "torn", 6, "--yes --json");
    assert_eq!(object(&ran)["arms"]["exact"]["right"], 6, "{}", ran.stderr);
    let again = model.asked.lock().unwrap();
    assert_eq!(again.len(), 9, "what was answered is not asked again");
    assert!(again.iter().all(|body| first.contains(body)), "a run that goes on sends the same bytes");
    drop(again);
    let ran = eval(&model, "torn", 6, "--json");
    assert_eq!(
        (ran.code, object(&ran)["questions"].as_u64()),
        (Some(0), Some(6)),
        "nothing is left to spend"
    );
    let ran = eval(&model, "torn", 6, "--yes --max-output 99");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("recorded with different settings: max_output was 2048 and is now 99"),
        "{}",
        ran.stderr
    );
}

#[test]
fn nothing_is_spent_without_a_yes() {
    let model = model(|_| said("7"));
    out("asked");
    let ran = eval(&model, "asked", 3, "");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("there is no terminal to ask for confirmation") && ran.stderr.contains("--yes"),
        "{}",
        ran.stderr
    );
    assert!(model.asked.lock().unwrap().is_empty());
}

#[test]
fn messages_are_asked_as_well() {
    let model = model(|body| {
        let text = if body["messages"][2]["content"][1]["text"].is_string() { "7" } else { "?" };
        (200, json!({ "content": [{ "type": "text", "text": text }], "usage": { "input_tokens": 9, "output_tokens": 1 } }).to_string())
    });
    out("messages");
    let ran = eval(&model, "messages", 3, "--yes --json --api anthropic");
    assert_eq!(object(&ran)["arms"]["standard"]["right"], 3, "{}", ran.stderr);
    assert!(model.asked.lock().unwrap().iter().all(|body| body["path"] == "/v1/messages"));
}

/// Runs against a broken endpoint; asserts the error message.
fn hostile(
    place: &str,
    timeout: u32,
    script: impl Fn(&Value) -> (u16, String) + Send + Sync + 'static,
    words: &str,
) {
    let model = model(script);
    out(place);
    let ran = eval(&model, place, 1, &format!("--yes --timeout {timeout} --concurrency 8"));
    assert_eq!(ran.code, Some(2), "{place}: {} {}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains(words), "{place}: {}", ran.stderr);
}

#[test]
fn garbage_is_no_answer() {
    hostile("garbage", 60, |_| (200, "<html>".to_owned()), "the response is not JSON");
}

#[test]
fn wrong_types_are_no_answer() {
    hostile(
        "types",
        60,
        |_| (200, r#"{"choices":[{"message":7}],"usage":[]}"#.to_owned()),
        "contains no message",
    );
}

#[test]
fn an_endless_answer_is_not_read_to_its_end() {
    hostile("huge", 60, |_| (200, "x".repeat(9 << 20)), "longer than 8 MB");
}

#[test]
fn a_server_that_hangs_is_left() {
    hostile("hang", 1, |_| (0, String::new()), "timed out");
}

#[test]
fn a_refusal_is_not_tried_again() {
    let model = model(|_| (401, r#"{"error":{"message":"no such \u001b key"}}"#.to_owned()));
    out("refused");
    let ran = eval(&model, "refused", 9, "--yes --concurrency 1");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("the first 6 requests failed: the server returned 401"), "{}", ran.stderr);
    assert!(ran.stderr.contains("no such \\u{1b} key"), "{}", ran.stderr);
    assert_eq!(model.asked.lock().unwrap().len(), 6);
}

#[test]
fn a_busy_server_is_asked_again_and_what_fails_is_left_out() {
    let count = Mutex::new(0);
    let model = model(move |body| {
        let mut count = count.lock().unwrap();
        *count += 1;
        let asks = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["content"].as_str().is_some_and(|it| it.contains("record 2 ")));
        match *count {
            1 | 3 => (429, "{}".to_owned()),
            5 => (503, String::new()),
            _ if asks => (400, r#"{"message":"no"}"#.to_owned()),
            _ => said("7"),
        }
    });
    out("busy");
    let ran = eval(&model, "busy", 4, "--yes --concurrency 1");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("3 requests failed, so their pairs are not counted"), "{}", ran.stdout);
    assert!(ran.stdout.contains("3 × the server returned 400 Bad Request: no"), "{}", ran.stdout);
}

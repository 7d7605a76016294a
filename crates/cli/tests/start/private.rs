//! Checks that telemetry contains no content of requests or answers.
//!
//! A canary word is in every part of requests and answers except the names of models, tools and calls, in every format,
//! for requests that succeed and fail. The test searches for it in every output of a gateway. To cover a new output,
//! add a line to [`told`], and the setting that enables it to [`switched`].

use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::collected::{Got, server};
use crate::numbers::shape::SHAPES;
use crate::seen::free;
use crate::stage::{Running, get, request, start};

/// The canary word.
const CANARY: &str = "cAnAry7Q";

/// The outputs of a gateway under test.
struct Places {
    folder: PathBuf,
    admin: String,
    collector: SocketAddr,
    collected: Receiver<Got>,
}

/// The settings that enable each output.
fn switched(places: &Places, format: &str) -> Vec<(&'static str, String)> {
    vec![
        ("TERSELY_LOG_FORMAT", format.to_owned()),
        ("TERSELY_ADMIN_LISTEN", places.admin.clone()),
        ("TERSELY_EVENTS_FILE", places.folder.join("events.jsonl").to_string_lossy().into_owned()),
        ("TERSELY_HISTORY_RECORD", "on".to_owned()),
        ("TERSELY_HISTORY_FILE", places.folder.join("history.db").to_string_lossy().into_owned()),
        ("TERSELY_OTEL_ENDPOINT", format!("http://{}", places.collector)),
        ("TERSELY_OTEL_INTERVAL", "200ms".to_owned()),
    ]
}

/// Everything a running gateway reports, by the name of the output.
fn told(places: &Places) -> Vec<(&'static str, String)> {
    vec![
        ("metrics", get(&places.admin, "/metrics")),
        ("events", events(places)),
        ("stats", get(&places.admin, "/stats")),
        ("page", get(&places.admin, "/_tersely/")),
        ("sessions", sessions(places)),
        ("collector", collected(places)),
    ]
}

/// The events without the request's own `debug` value, which is in one member of each.
fn events(places: &Places) -> String {
    let events = fs::read_to_string(places.folder.join("events.jsonl")).unwrap_or_default();
    let words = format!(r#""request":{}"#, json!({ CANARY: CANARY }));
    assert!(events.contains(&words), "no event has the client's own words");
    events.replace(&words, "")
}

/// The dashboard's page of each conversation.
fn sessions(places: &Places) -> String {
    let events = fs::read_to_string(places.folder.join("events.jsonl")).unwrap_or_default();
    let events = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut ids: Vec<_> = events.filter_map(|event| event["session"].as_str().map(str::to_owned)).collect();
    ids.sort();
    ids.dedup();
    assert!(!ids.is_empty(), "no request has a session");
    let shown = ids.iter().map(|id| get(&places.admin, &format!("/_tersely/session/{id}")));
    shown.inspect(|shown| assert!(shown.contains("200 OK"), "{shown}")).collect()
}

/// The spans and metrics that a collector received, once both have arrived.
fn collected(places: &Places) -> String {
    let since = Instant::now();
    let mut all = Vec::new();
    while since.elapsed() < Duration::from_secs(2) {
        all.extend(places.collected.try_iter().flat_map(|got| got.body));
        thread::sleep(Duration::from_millis(50));
    }
    let text = String::from_utf8_lossy(&all).into_owned();
    assert!(text.contains("gen_ai.") && text.contains("tersely.request.id"), "no spans came");
    text
}

/// Behaviour 12.5, 13.9: a word that is everywhere in requests and answers is nowhere in telemetry, except where the
/// client asked for it.
#[test]
fn nothing_holds_a_word_of_a_request() {
    for format in ["json", "text"] {
        check(format);
    }
}

fn check(format: &str) {
    let (collector, collected) = server();
    let places = Places { folder: folder(format), admin: free(), collector, collected };
    let upstream = upstream();
    let url = format!("http://{upstream}");
    let env = switched(&places, format);
    let env: Vec<_> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &url], &env);
    let address = served.address();
    let sent = send_all(&address);
    wait(&places.folder.join("events.jsonl"), sent);
    let mut all = told(&places);
    all.push(("log", log(&mut served, sent)));
    all.push(("history", database(&places.folder)));
    for (place, text) in all {
        assert!(!text.trim().is_empty(), "{place} tells nothing");
        let found = text.to_ascii_lowercase().find(&CANARY.to_ascii_lowercase());
        let around = found.map(|at| &text[at.saturating_sub(200)..text.len().min(at + 100)]);
        assert_eq!(around, None, "{place}");
    }
    let _ = fs::remove_dir_all(&places.folder);
}

/// All bytes of a history, including the write-ahead log.
fn database(folder: &Path) -> String {
    let parts = ["history.db", "history.db-wal"].map(|name| fs::read(folder.join(name)).unwrap_or_default());
    assert!(parts.concat().len() > 10_000, "nothing was recorded");
    String::from_utf8_lossy(&parts.concat()).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tersely-private-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Sends requests in every format, with every kind of answer; returns how many.
fn send_all(address: &str) -> usize {
    let mut sent = 0;
    let mut bodies: Vec<(String, Value)> =
        SHAPES.iter().map(|shape| (shape.path.to_owned(), body(shape.body))).collect();
    let mut invoke = body(SHAPES[0].body);
    invoke["anthropic_version"] = CANARY.into();
    bodies.push(("/model/m/invoke".to_owned(), invoke.clone()));
    bodies.push(("/model/m/invoke-with-response-stream".to_owned(), invoke));
    bodies.push(("/model/m/converse".to_owned(), converse()));
    for (path, body) in &bodies {
        for answer in ["whole", "stream", "400", "500", "hangup"] {
            post(address, &format!("{path}?key={CANARY}&answer={answer}"), &body.to_string());
            sent += 1;
        }
    }
    for head in [
        format!("POST /{CANARY} HTTP/1.1\r\nhost: localhost"),
        format!("{CANARY} /v1/messages HTTP/1.1\r\nhost: localhost"),
        format!("POST /v1/messages HTTP/1.1\r\nhost: {CANARY}"),
    ] {
        raw(address, &format!("{head}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"));
        sent += 1;
    }
    sent
}

/// A conversation with the word wherever possible.
fn body(shape: fn(&[(String, String)]) -> Value) -> Value {
    let failed = format!("error: {CANARY} failed\n");
    let texts = [
        ("call_1".to_owned(), format!("{CANARY} ").repeat(200)),
        ("call_2".to_owned(), format!("{{\"{CANARY}\":\"{CANARY}\"}}")),
        ("call_3".to_owned(), failed.repeat(300)),
    ];
    let text =
        shape(&texts).to_string().replace("make report", CANARY).replace("Look at it, please.", CANARY);
    let mut body: Value = serde_json::from_str(&text).expect("JSON");
    body["system"] = CANARY.into();
    body["metadata"] = json!({ "user_id": CANARY, CANARY: CANARY });
    body["_tersely"] = json!({ "session_id": CANARY, "debug": { CANARY: CANARY } });
    body
}

fn converse() -> Value {
    let call =
        json!({ "toolUse": { "toolUseId": "call_1", "name": "Bash", "input": { "command": CANARY } } });
    let text = format!("{CANARY} ").repeat(200);
    let result = json!({ "toolResult": { "toolUseId": "call_1", "content": [{ "text": text }] } });
    json!({
        "system": [{ "text": CANARY }],
        "messages": [
            { "role": "user", "content": [{ "text": CANARY }] },
            { "role": "assistant", "content": [call] },
            { "role": "user", "content": [result] },
        ],
    })
}

fn post(address: &str, path: &str, body: &str) {
    let names =
        ["x-api-key", "x-tersely-note", "user-agent", "traceparent", "cookie", "session_id", "referer"];
    let headers = names.map(|name| format!("{name}: {CANARY}\r\n")).concat();
    let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}");
    raw(address, &format!("{head}content-length: {}\r\n\r\n{body}", body.len()));
}

fn raw(address: &str, request: &str) {
    let mut stream = TcpStream::connect(address).expect("a gateway");
    stream.write_all(request.as_bytes()).expect("a request is sent");
    // The answer does not matter.
    let _ = stream.read_to_end(&mut Vec::new());
}

/// An upstream with the word everywhere in its answers; the request path selects the kind of answer.
fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(stream: TcpStream) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = request(&mut reader) {
        let kind = asked.line.split("answer=").nth(1).and_then(|rest| rest.split([' ', '&']).next());
        let said = said().to_string();
        let (status, content, body) = match kind.unwrap_or("whole") {
            "hangup" => return,
            "stream" => {
                (200, "text/event-stream", format!("event: {CANARY}\nid: {CANARY}\ndata: {said}\n\n"))
            }
            "400" => (400, "application/json", said),
            "500" => (500, CANARY, said),
            _ => (200, "application/json", said),
        };
        let head = format!("HTTP/1.1 {status} {CANARY}\r\ncontent-type: {content}\r\nx-request-id: {CANARY}");
        let whole = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let _ = reader.get_mut().write_all(whole.as_bytes());
    }
}

/// An answer that mixes all formats.
fn said() -> Value {
    let usage = json!({
        "input_tokens": 5, "output_tokens": 3, "prompt_tokens": 5, "service_tier": CANARY, CANARY: 7, "nested": { CANARY: 9 },
    });
    json!({
        "id": CANARY, "type": CANARY, "model": CANARY, CANARY: CANARY,
        "content": [{ "type": "text", "text": CANARY }],
        "choices": [{ "message": { "role": "assistant", "content": CANARY }, "finish_reason": CANARY }],
        "error": { "type": CANARY, "message": CANARY, "code": CANARY },
        "usage": usage, "usageMetadata": { "promptTokenCount": 5, CANARY: 1 },
    })
}

/// Waits until `count` requests are in the events file.
fn wait(path: &Path, count: usize) {
    let since = Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        let requests = text.lines().filter(|line| line.contains("\"kind\":\"request\"")).count();
        if requests >= count || since.elapsed() > Duration::from_mins(1) {
            assert_eq!(requests, count, "{text}");
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// The complete stderr of a gateway after it is stopped: its log and its summary.
fn log(served: &mut Running, sent: usize) -> String {
    served.signal("INT");
    served.code();
    let lines: Vec<String> = served.said.iter().collect();
    assert!(lines.len() > sent, "{}", lines.len());
    assert!(
        lines.iter().any(|line| line.starts_with("tersely: ") && line.contains("requests: ")),
        "no closing line"
    );
    lines.join("\n")
}

//! Tests `tersely mcp serve` between HTTP clients and servers that are commands or remote.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server that answers with rows, reports progress first, and sends requests to its client on demand.
const SERVER: &str = r#"
import json, os, subprocess, sys, time
rows = [{"id": n, "name": f"item {n}", "state": "open"} for n in range(60)]
say = lambda message: print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if isinstance(asked, list):
        answers = [{"jsonrpc": "2.0", "id": one["id"], "result": {}} for one in asked if "id" in one]
        together = any(one.get("params", {}).get("name") == "together" for one in asked)
        for said in [answers] if together else answers: print(json.dumps(said), flush=True)
        continue
    params = asked.get("params", {})
    if "method" not in asked or "id" not in asked: continue
    if params.get("name") == "die": os._exit(7)
    if params.get("name") == "hang":
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "600"])
        say({"method": "notifications/progress", "params": {"progressToken": 7, "progress": child.pid}})
        time.sleep(600)
    if params.get("name") == "noise":
        sys.stderr.write("x" * (4 << 20))
        sys.stdout.buffer.write(b"\xff garbage\n\n{\"half\": \n[]\n")
        sys.stdout.buffer.flush()
    if params.get("name") == "half":
        sys.stdout.write('{"jsonrpc": "2.0", "id": "c", "resu')
        sys.stdout.flush()
        os._exit(1)
    if params.get("name") == "huge":
        sys.stdout.write('{"result": "' + "z" * (100 << 20) + '", "jsonrpc": "2.0", "id": "c"}\n')
        sys.stdout.flush()
        continue
    if params.get("name") == "flood":
        for n in range(400): say({"method": "notifications/message", "params": {"data": "x" * 65536}})
    if params.get("name") == "news": say({"method": "notifications/resources/list_changed"})
    if "_meta" in params: say({"method": "notifications/progress", "params": {"progressToken": params["_meta"]["progressToken"], "progress": 1}})
    result = {"serverInfo": {"name": "x", "pid": os.getpid()}}
    if asked["method"] == "tools/list": result = {"tools": [{"name": "rows", "inputSchema": {}}]}
    if params.get("name") == "key": rows = [{"id": n, "key": "AKIAQ3EGRIJ5KD7WLZPX"} for n in range(9)]
    if asked["method"] == "tools/call": result = {"content": [{"type": "text", "text": json.dumps(rows, indent=2)}]}
    if params.get("name") == "long":
        lines = (f"{os.getpid()} {n * 7919 % 100003:06} GET /item/{n * n % 99991} 200 {n * 31 % 977} ms" for n in range(5000))
        result = {"content": [{"type": "text", "text": "\n".join(lines)}]}
    say({"id": asked["id"], "result": result})
    if params.get("name") == "later":
        for n in range(40): say({"method": "notifications/message", "params": {"data": n}})
"#;

struct Served {
    process: Child,
    address: String,
    /// Drained, so that the process does not block on it.
    _says: JoinHandle<usize>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Serves the command as `rows`, and `url` as `far`.
fn serve(test: &str, url: &str) -> Served {
    serve_with(test, url, &[])
}

fn serve_with(test: &str, url: &str, settings: &[(&str, &str)]) -> Served {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.json"));
    let servers = json!({"rows": {"command": "python3", "args": ["-c", SERVER]}, "far": {"url": url}});
    fs::write(&file, format!("// a client's file\n{}", json!({"mcpServers": servers}))).expect("a file");
    let mut process = Command::new(env!("CARGO_BIN_EXE_tersely"))
        .args(["mcp", "serve", "--redact-secrets", "--listen", "127.0.0.1:0", "--from"])
        .arg(&file)
        .env("TERSELY_HISTORY_RECORD", "off")
        .envs(settings.iter().copied())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let mut hello = String::new();
    let mut says = BufReader::new(process.stderr.take().expect("errors"));
    says.read_line(&mut hello).expect("a line");
    let address = hello.trim().rsplit("http://").next().expect("an address").to_owned();
    // The servers' stderr goes here too.
    let says = thread::spawn(move || says.bytes().count());
    Served { process, address, _says: says }
}

struct Answer {
    head: String,
    body: String,
}

impl Answer {
    fn get(&self, name: &str) -> Option<&str> {
        let is_it = |line: &&str| line.to_ascii_lowercase().starts_with(&format!("{name}: "));
        self.head.lines().find(is_it).and_then(|line| line.split_once(": ")).map(|(_, value)| value)
    }

    /// The messages in an answer, as events or as a whole.
    fn messages(&self) -> Vec<Value> {
        let data: Vec<_> = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let texts = if data.is_empty() { vec![&*self.body] } else { data };
        texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
    }

    fn text(&self) -> String {
        let last = self.messages().pop().expect("a message");
        last["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }
}

impl Served {
    fn open(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("the door");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a timeout");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\naccept: application/json, text/event-stream\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("asked");
        stream
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut said = String::new();
        self.open(method, path, headers, body).read_to_string(&mut said).expect("answered");
        let (head, body) = said.split_once("\r\n\r\n").expect("a head");
        let body = if head.contains("chunked") { unchunked(body) } else { body.to_owned() };
        Answer { head: head.to_owned(), body }
    }

    /// Starts a session and lists the tools; returns the session header.
    fn begin(&self) -> String {
        self.start().0
    }

    /// Also returns the id of the server process.
    fn start(&self) -> (String, u64) {
        let answer = self.ask(
            "POST",
            "/mcp/rows",
            "",
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#,
        );
        let session = format!("mcp-session-id: {}\r\n", answer.get("mcp-session-id").expect("a session"));
        let listed =
            self.ask("POST", "/mcp/rows", &session, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert_eq!(listed.messages()[0]["result"]["tools"][1]["name"], "expand_context");
        (session, answer.messages()[0]["result"]["serverInfo"]["pid"].as_u64().expect("a process"))
    }

    /// Sends a request that hangs, reads the id of the process it started, and disconnects.
    fn hang(&self, session: &str) -> u64 {
        let stream = self.open("POST", "/mcp/rows", session, &call("hang"));
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("progress");
        let news: Value = serde_json::from_str(&data).expect("JSON");
        news["params"]["progress"].as_u64().expect("a process")
    }
}

fn unchunked(mut body: &str) -> String {
    let mut all = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        all.push_str(&rest[..size]);
        body = &rest[(size + 2).min(rest.len())..];
        if size == 0 {
            break;
        }
    }
    all
}

fn call(name: &str) -> String {
    json!({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": name, "arguments": {}, "_meta": {"progressToken": 7}}}).to_string()
}

#[test]
fn a_command_has_a_process_for_each_session() {
    let served = serve("sessions", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    let answer = served.ask("POST", "/mcp/rows", &session, &call("rows"));
    assert_eq!(answer.get("content-type"), Some("text/event-stream"));
    assert_eq!(answer.messages()[0]["params"]["progressToken"], 7);
    assert!(answer.text().len() < 1000, "{}", answer.text());
    let told = served.ask(
        "POST",
        "/mcp/rows",
        &session,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    );
    assert!(told.head.starts_with("HTTP/1.1 202"), "{}", told.head);
    assert!(served.ask("DELETE", "/mcp/rows", &session, "").head.starts_with("HTTP/1.1 200"));
    for (method, headers) in [("POST", &*session), ("GET", &session), ("POST", "mcp-session-id: guessed\r\n")]
    {
        let answer = served.ask(method, "/mcp/rows", headers, &call("rows"));
        assert!(answer.head.starts_with("HTTP/1.1 404"), "{method} {}", answer.head);
    }
    let without = served.ask("POST", "/mcp/rows", "", &call("rows"));
    assert!(without.head.starts_with("HTTP/1.1 400"), "{}", without.head);
}

/// Behaviour 10.8.
#[test]
fn a_client_may_ask_for_a_format_by_its_own_header() {
    let served = serve("format", "http://127.0.0.1:1/mcp");
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    let answer = served.ask("POST", "/mcp/rows", "x-prefer-format: toon\r\n", hello);
    let session = format!("mcp-session-id: {}\r\n", answer.get("mcp-session-id").expect("a session"));
    let text = served.ask("POST", "/mcp/rows", &session, &call("rows")).text();
    assert!(text.starts_with("[60]{id,name,state}:"), "{text}");
    // Masking that the operator enabled applies to any format.
    let text = served.ask("POST", "/mcp/rows", &session, &call("key")).text();
    assert!(text.starts_with("[9]{id,key}:") && !text.contains("AKIAQ3EGRIJ5KD7WLZPX"), "{text}");
}

#[test]
fn what_nobody_waits_for_goes_to_the_stream_of_the_client() {
    let served = serve("stream", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    let stream = served.open("GET", "/mcp/rows", &session, "");
    let mut lines = BufReader::new(stream).lines();
    assert!(lines.next().expect("a head").expect("a line").contains("200"));
    served.ask("POST", "/mcp/rows", &session, &call("news"));
    let news = lines.map_while(Result::ok).find(|line| line.starts_with("data: ")).expect("news");
    assert!(news.contains("resources/list_changed"), "{news}");
}

/// Behaviour 10.9: every request of a batch is answered, however the server answers it.
#[test]
fn a_batch_is_answered() {
    let served = serve("batch", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    let ask = |id: Value, name: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name}});
    let news = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for name in ["one by one", "together"] {
        let batch = json!([ask(json!(5), name), news, ask(json!("six"), name)]);
        let answer = served.ask("POST", "/mcp/rows", &session, &batch.to_string());
        let flat = |message: Value| message.as_array().cloned().unwrap_or_else(|| vec![message]);
        let ids: Vec<_> = answer.messages().into_iter().flat_map(flat).map(|it| it["id"].clone()).collect();
        assert_eq!(ids, [json!(5), json!("six")], "{name}: {}", answer.body);
    }
    let told = served.ask("POST", "/mcp/rows", &session, &json!([news, news]).to_string());
    assert!(told.head.starts_with("HTTP/1.1 202"), "{}", told.head);
}

/// Behaviour 10.9: a client that opens a stream and does not read it still gets its answers.
#[test]
fn a_stream_that_nobody_reads_holds_nothing_up() {
    let served = serve("stuck", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    let _stuck = served.open("GET", "/mcp/rows", &session, "");
    thread::sleep(Duration::from_millis(200));
    for name in ["flood", "rows"] {
        let answer = served.ask("POST", "/mcp/rows", &session, &call(name));
        assert!(answer.text().len() < 1000, "{name}");
    }
}

/// Messages that arrive while no stream is open are queued, however many.
#[test]
fn what_came_before_the_stream_goes_first() {
    let served = serve("later", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    served.ask("POST", "/mcp/rows", &session, &call("later"));
    let lines = BufReader::new(served.open("GET", "/mcp/rows", &session, "")).lines().map_while(Result::ok);
    let news = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned)).take(40);
    let data = news.map(|news| serde_json::from_str::<Value>(&news).expect("JSON")["params"]["data"].clone());
    assert_eq!(Value::Array(data.collect()), json!((0..40).collect::<Vec<_>>()));
}

#[test]
fn a_server_that_dies_is_an_error_and_then_a_session_that_is_gone() {
    let served = serve("dies", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    let answer = served.ask("POST", "/mcp/rows", &session, &call("die"));
    assert_eq!(answer.messages()[0]["error"]["message"], "the server has ended");
    assert_eq!(answer.messages()[0]["id"], "c");
    assert!(served.ask("POST", "/mcp/rows", &session, &call("rows")).head.starts_with("HTTP/1.1 404"));
}

/// The head and the body of a request; empty if there is none.
fn heard(lines: &mut impl BufRead) -> (String, String) {
    let (mut head, mut line) = (String::new(), String::new());
    while lines.read_line(&mut line).is_ok_and(|read| read > 2) {
        head.push_str(&line);
        line.clear();
    }
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    lines.read_exact(&mut body).expect("a body");
    (head, String::from_utf8(body).expect("text"))
}

/// A server that closes a connection after four seconds, but only when the next request arrives.
fn impatient() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let serve = |mut stream: TcpStream| {
        let mut lines = BufReader::new(stream.try_clone().expect("a socket"));
        let begun = Instant::now();
        while !heard(&mut lines).0.is_empty() && begun.elapsed() < Duration::from_secs(4) {
            let answer = r#"{"jsonrpc":"2.0","id":"c","result":{"content":[]}}"#;
            let head = format!("content-type: application/json\r\ncontent-length: {}", answer.len());
            stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{answer}").as_bytes()).expect("told");
        }
    };
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream));
        }
    });
    format!("http://{address}/mcp")
}

#[test]
fn a_connection_that_the_server_may_close_is_not_used_again() {
    let served = serve("impatient", &impatient());
    for pause in [0, 1000, 4000] {
        thread::sleep(Duration::from_millis(pause));
        let answer = served.ask("POST", "/mcp/far", "", &call("x"));
        assert!(answer.head.starts_with("HTTP/1.1 200"), "{} {}", answer.head, answer.body);
    }
}

/// A remote server that answers with rows and the headers it received, as JSON or as an event.
fn far() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().expect("a socket"));
            let (head, body) = heard(&mut lines);
            let rows: Vec<Value> = (0..60).map(|n| json!({"id": n, "name": format!("item {n}")})).collect();
            let says =
                |name: &str| head.lines().find(|line| line.starts_with(name)).unwrap_or("none").to_owned();
            let (key, accept, prefers) = (says("authorization"), says("accept: "), says("x-prefer-format"));
            let texts =
                json!([{"type": "text", "text": json!(rows).to_string()}, {"type": "text", "text": key}]);
            let answer = json!({"jsonrpc": "2.0", "id": "c", "result": {"content": texts}}).to_string();
            let (kind, answer) = if body.contains("events") {
                ("text/event-stream", format!(": hi\n\nid: 4\nevent: message\ndata: {answer}\n\n"))
            } else {
                ("application/json", answer)
            };
            let path = head.split(' ').nth(1).unwrap_or("");
            let said = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nx-path: {path}\r\nx-heard: {prefers}, {accept}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
                answer.len()
            );
            stream.write_all(said.as_bytes()).expect("answered");
        }
    });
    format!("http://{address}/deep/mcp")
}

#[test]
fn a_server_that_listens_gets_the_request_and_the_client_shorter_results() {
    let served = serve("far", &far());
    for tool in ["rows", "events"] {
        let answer = served.ask("POST", "/mcp/far", "authorization: Bearer mine\r\n", &call(tool));
        assert_eq!(answer.get("x-path"), Some("/deep/mcp"));
        let messages = answer.messages();
        let content = &messages[0]["result"]["content"];
        assert!(content[0]["text"].as_str().expect("text").len() < 400, "{content}");
        assert_eq!(content[1]["text"], "authorization: Bearer mine");
        if tool == "events" {
            assert!(answer.body.starts_with(": hi\n\nid: 4\nevent: message\ndata: {"), "{}", answer.body);
        }
    }
    let nowhere = served.ask("POST", "/mcp/none", "", &call("rows"));
    assert!(nowhere.body.contains("unknown path; use one of: /mcp/far, /mcp/rows"), "{}", nowhere.body);
    let page = served.ask("POST", "/mcp/far", "origin: https://evil.example\r\n", &call("rows"));
    assert!(page.head.starts_with("HTTP/1.1 403"), "{}", page.head);
}

/// Behaviour 10.8: a client's headers for us are not forwarded to the server.
#[test]
fn a_server_that_listens_is_not_asked_for_our_formats() {
    let served = serve("strip", &far());
    for header in ["x-prefer-format: toon\r\n", "accept: text/toon\r\n"] {
        let answer = served.ask("POST", "/mcp/far", header, &call("rows"));
        assert_eq!(
            answer.get("x-heard"),
            Some("none, accept: application/json, text/event-stream"),
            "{header}"
        );
        assert!(answer.text().starts_with("[60]{id,name}:"), "{}", answer.body);
    }
}

/// Behaviour 13.1: a client that reads an answer to its end has not disconnected.
#[test]
fn an_answer_that_was_read_whole_is_told_as_answered() {
    let events = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("answered.jsonl");
    let _ = fs::remove_file(&events);
    let file = events.to_string_lossy().into_owned();
    let served = serve_with("answered", &far(), &[("TERSELY_EVENTS_FILE", &file)]);
    let session = served.begin();
    for _ in 0..20 {
        served.ask("POST", "/mcp/rows", &session, &call("rows"));
    }
    served.ask("POST", "/mcp/far", "", &call("events"));
    let begun = Instant::now();
    let ends = loop {
        let text = fs::read_to_string(&events).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let ends: Vec<_> =
            lines.filter(|line| line["kind"] == "request").map(|line| line["end"].clone()).collect();
        if ends.len() >= 23 || begun.elapsed() > Duration::from_mins(1) {
            break ends;
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ends, vec![json!("answered"); 23]);
}

/// Waits until these processes have exited.
fn gone(processes: &[u64]) {
    let begun = Instant::now();
    let is_there = |pid: &u64| {
        // A zombie has exited too.
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    };
    while processes.iter().any(is_there) {
        assert!(begun.elapsed() < Duration::from_mins(1), "{processes:?} are still there");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Behaviour 10.9.
#[test]
fn a_server_that_hangs_ends_with_its_session() {
    let gateway = serve("hangs", "http://127.0.0.1:1/mcp");
    let (session, server) = gateway.start();
    let child = gateway.hang(&session);
    assert!(gateway.ask("DELETE", "/mcp/rows", &session, "").head.starts_with("HTTP/1.1 200"));
    gone(&[server, child]);
}

/// Behaviour 10.9: on one signal as on two.
#[test]
fn servers_end_with_us() {
    for signals in [1, 2] {
        let mut gateway = serve_with("ends", "http://127.0.0.1:1/mcp", &[("TERSELY_TIMEOUTS_NOTICE", "0s")]);
        let (quiet, hung) = (gateway.start(), gateway.start());
        let child = gateway.hang(&hung.0);
        // The shutdown does not wait for clients that only listen for notifications.
        let _news = gateway.open("GET", "/mcp/rows", &quiet.0, "");
        for _ in 0..signals {
            let pid = gateway.process.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
            thread::sleep(Duration::from_millis(200));
        }
        let code = gateway.process.wait().expect("an end").code();
        assert_eq!(code, Some(if signals == 1 { 0 } else { 128 + 15 }));
        gone(&[quiet.1, hung.1, child]);
    }
}

/// Behaviour 10.9: an idle session times out.
#[test]
fn a_session_that_nobody_uses_ends() {
    let served = serve_with("idle", "http://127.0.0.1:1/mcp", &[("TERSELY_TIMEOUTS_SESSION", "600ms")]);
    let watched = served.start();
    let _news = served.open("GET", "/mcp/rows", &watched.0, "");
    let unused = served.start();
    gone(&[unused.1]);
    assert!(served.ask("POST", "/mcp/rows", &unused.0, &call("rows")).head.starts_with("HTTP/1.1 404"));
    assert!(served.ask("POST", "/mcp/rows", &watched.0, &call("rows")).head.starts_with("HTTP/1.1 200"));
}

/// Behaviour 10.9.
#[test]
fn noise_does_no_harm_and_half_an_answer_is_an_error() {
    let served = serve("noise", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    let answer = served.ask("POST", "/mcp/rows", &session, &call("noise"));
    assert!(answer.text().len() < 1000 && !answer.body.contains("garbage"), "{}", answer.body);
    let answer = served.ask("POST", "/mcp/rows", &session, &call("half"));
    assert_eq!(answer.messages()[0]["error"]["message"], "the server has ended");
}

/// Behaviour 10.9.
#[test]
fn an_answer_that_is_too_long_is_an_error_and_is_not_held() {
    let served = serve("huge", "http://127.0.0.1:1/mcp");
    let session = served.begin();
    let answer = served.ask("POST", "/mcp/rows", &session, &call("huge"));
    assert_eq!(answer.messages()[0]["error"]["message"], "the server's answer is too long to forward");
    let status = fs::read_to_string(format!("/proc/{}/status", served.process.id())).expect("a process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    assert!(peak.expect("memory").parse::<usize>().expect("a number") < 250 << 10, "{peak:?}");
    assert!(served.ask("POST", "/mcp/rows", &session, &call("rows")).text().len() < 1000);
}

/// Law 3: what is left out can be fetched back, however many sessions share the memory. A session that has ended
/// leaves its share.
#[test]
fn what_was_left_out_is_there_in_every_session() {
    let served = serve_with("shares", "http://127.0.0.1:1/mcp", &[("TERSELY_STORE_BYTES", "1MiB")]);
    let omitted = |session: &str| {
        let shown = served.ask("POST", "/mcp/rows", session, &call("long")).text();
        let id = shown
            .strip_prefix("<<<SHADOW:")
            .and_then(|rest| rest.split_once(">>>"))
            .map(|(id, _)| id.to_owned());
        if let Some(id) = &id {
            let fetch = json!({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "expand_context", "arguments": {"id": id}}});
            let text = served.ask("POST", "/mcp/rows", session, &fetch.to_string()).text();
            assert!(text.contains(" 000000 GET /item/0 200 0 ms\n"), "{text:.300}");
        }
        id.is_some()
    };
    let sessions: Vec<_> = (0..20).map(|_| served.begin()).collect();
    let first: Vec<_> = sessions.iter().map(|session| omitted(session)).collect();
    assert!(first[0] && first.contains(&false), "the memory is too large for this test: {first:?}");
    for session in &sessions {
        served.ask("DELETE", "/mcp/rows", session, "");
    }
    for _ in 0..3 {
        assert!(omitted(&served.begin()), "the ended sessions still hold the memory");
    }
}

/// Behaviour 10.10.
#[test]
fn what_has_no_room_passes_as_it_came() {
    let served = serve_with("room", &far(), &[("TERSELY_LIMITS_MEMORY", "1KiB")]);
    for tool in ["rows", "events"] {
        let answer = served.ask("POST", "/mcp/far", "", &call(tool));
        let messages = answer.messages();
        let text = messages[0]["result"]["content"][0]["text"].as_str().expect("text");
        assert!(serde_json::from_str::<Value>(text).is_ok_and(|rows| rows[59]["id"] == 59), "{text}");
    }
}

/// The configuration file lists servers; their headers override the client's.
#[test]
fn servers_may_stand_in_the_settings() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("servers.toml");
    let text = format!(
        "[mcp.servers.set]\nurl = '{}?key=1'\nheaders = {{ authorization = 'Bearer ${{KEY}}' }}\n[mcp.servers.far]\nurl = 'http://127.0.0.1:2'\n",
        far()
    );
    fs::write(&file, text).expect("a file");
    let config = file.display().to_string();
    let served =
        serve_with("settings", "http://127.0.0.1:1/mcp", &[("TERSELY_CONFIG", &config), ("KEY", "theirs")]);
    for (path, query) in [("/mcp/set", "?key=1"), ("/mcp/set?mine", "?mine")] {
        let answer = served.ask("POST", path, "authorization: Bearer mine\r\n", &call("rows"));
        assert_eq!(answer.get("x-path"), Some(&*format!("/deep/mcp{query}")));
        let content = &answer.messages()[0]["result"]["content"];
        assert_eq!(content[1]["text"], "authorization: Bearer theirs");
    }
    // The command line overrides the file.
    assert!(served.ask("POST", "/mcp/far", "", &call("rows")).body.contains("127.0.0.1:1"));
}

/// Behaviour 23.3, 23.5: a client without a key cannot start a server, and no tenant can use another's session.
#[test]
fn a_session_belongs_to_its_tenant() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mcp-tenants.toml");
    // The keys are "a" and "b".
    let text = "[[tenants]]\nname = 'a'\nkeys = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'\n\
                [[tenants]]\nname = 'b'\nkeys = '3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d'\n";
    fs::write(&file, text).expect("a file");
    let config = file.display().to_string();
    let served = serve_with("tenants", "http://127.0.0.1:9/mcp", &[("TERSELY_CONFIG", &config)]);
    let begin = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    for key in [
        "",
        "x-tersely-key: c\r\n",
        "authorization: Bearer a\r\n",
        "x-tersely-key: a\r\nx-tersely-key: a\r\n",
    ] {
        let answer = served.ask("POST", "/mcp/rows", key, begin);
        assert!(
            answer.head.starts_with("HTTP/1.1 401 ") && answer.body.contains("x-tersely-key"),
            "{key}: {}",
            answer.body
        );
    }
    let session = served.ask("POST", "/mcp/rows", "x-tersely-key: a\r\n", begin);
    let id = session.get("mcp-session-id").expect("a session").to_owned();
    let said = |key: &str| {
        let headers = format!("x-tersely-key: {key}\r\nmcp-session-id: {id}\r\n");
        served.ask("POST", "/mcp/rows", &headers, &call("rows")).head
    };
    assert!(said("b").starts_with("HTTP/1.1 404 "), "a session of another tenant is none");
    assert!(said("a").starts_with("HTTP/1.1 200 "), "{}", said("a"));
    let ended =
        served.ask("DELETE", "/mcp/rows", &format!("x-tersely-key: b\r\nmcp-session-id: {id}\r\n"), "");
    assert!(ended.head.starts_with("HTTP/1.1 404 "), "{}", ended.head);
    assert!(said("a").starts_with("HTTP/1.1 200 "), "it goes on");
    assert!(served.ask("GET", "/healthz", "", "").head.starts_with("HTTP/1.1 200 "));
}

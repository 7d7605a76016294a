//! `tersely mcp` around a server that is a process of its own.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server that lists one tool and answers with rows; what it is asked to do to itself, it does.
const SERVER: &str = r#"
import json, os, sys, time
print("ready", file=sys.stderr, flush=True)
rows = [{"id": n, "name": f"item {n}", "state": "open"} for n in range(60)]
for line in sys.stdin:
    asked = json.loads(line)
    name = asked.get("params", {}).get("name")
    if name == "die": os._exit(7)
    if name == "hang":
        import signal
        signal.signal(signal.SIGTERM, lambda *_: os._exit(9))
        print(json.dumps({"id": asked["id"], "result": {}}), flush=True)
        time.sleep(60)
    if name == "where":
        result = {"content": [{"type": "text", "text": os.environ.get("MARK", "")}]}
    elif asked["method"] == "tools/list":
        result = {"tools": [{"name": "rows", "inputSchema": {}}]}
    else:
        result = {"content": [{"type": "text", "text": json.dumps(rows, indent=2)}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;

struct Wrapped {
    process: Child,
    says: Option<ChildStdin>,
    hears: BufReader<ChildStdout>,
}

fn start(command: &[&str]) -> Wrapped {
    start_with(command, &[])
}

fn start_with(command: &[&str], env: &[(&str, &str)]) -> Wrapped {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tersely"))
        .envs(env.iter().copied())
        .args(["mcp", "--"])
        .args(command)
        .env("MARK", "as without us")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let hears = BufReader::new(process.stdout.take().expect("output"));
    Wrapped { says: process.stdin.take(), hears, process }
}

impl Wrapped {
    fn server() -> Self {
        start(&["python3", "-c", SERVER])
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.says.as_mut().expect("open"), "{message}").expect("told");
    }

    fn ask(&mut self, method: &str, name: &str) -> Value {
        self.say(
            &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": name, "arguments": {}}}),
        );
        let mut line = String::new();
        self.hears.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// The exit code, and what was said on standard error.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.says.take());
        let begun = Instant::now();
        while self.process.try_wait().expect("a child").is_none() {
            assert!(begun.elapsed() < Duration::from_secs(20), "still there");
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut said = String::new();
        self.process.stderr.take().expect("errors").read_to_string(&mut said).expect("text");
        (self.process.wait().expect("a child").code(), said)
    }
}

#[test]
fn results_are_shorter_and_all_else_is_as_without_us() {
    let mut wrapped = Wrapped::server();
    let tools = wrapped.ask("tools/list", "");
    assert_eq!(tools["result"]["tools"][1]["name"], "expand_context");
    let rows = wrapped.ask("tools/call", "rows");
    let text = rows["result"]["content"][0]["text"].as_str().expect("text");
    assert!(text.len() < 1000 && text.contains("\n59\n"), "{text}");
    let mark = wrapped.ask("tools/call", "where");
    assert_eq!(mark["result"]["content"][0]["text"], "as without us");
    assert_eq!(wrapped.end(), (Some(0), "ready\n".to_owned()));
}

#[test]
fn a_server_that_dies_takes_us_with_it() {
    let mut wrapped = Wrapped::server();
    wrapped.say(&json!({"id": 1, "method": "tools/call", "params": {"name": "die"}}));
    let mut line = String::new();
    assert_eq!(wrapped.hears.read_line(&mut line).expect("an end"), 0);
    assert_eq!(wrapped.end().0, Some(7));
}

#[test]
fn a_signal_reaches_the_server() {
    let mut wrapped = Wrapped::server();
    wrapped.ask("tools/call", "hang");
    let pid = wrapped.process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
    assert_eq!(wrapped.end().0, Some(9));
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let (code, said) = start(&["no-such-server"]).end();
    assert_eq!(code, Some(2));
    assert!(said.contains("no-such-server: no such command"), "{said}");
}

#[test]
fn behind_tersely_run_it_steps_aside() {
    let mut wrapped = start_with(&["python3", "-c", SERVER], &[("TERSELY_RUN", "1")]);
    let tools = wrapped.ask("tools/list", "");
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(1));
    let rows = wrapped.ask("tools/call", "rows");
    assert!(rows["result"]["content"][0]["text"].as_str().expect("text").len() > 3000);
    assert_eq!(wrapped.end(), (Some(0), "ready\n".to_owned()));
    let (code, said) = start_with(&["no-such-server"], &[("TERSELY_RUN", "1")]).end();
    assert!(code == Some(2) && said.contains("no-such-server: no such command"), "{said}");
}

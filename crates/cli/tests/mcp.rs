//! Tests `tersely mcp` around a server process.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server that lists one tool and answers with rows; it can be told to crash or hang.
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
        .env("TERSELY_HISTORY_RECORD", "off")
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

    /// The exit code and stderr.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.says.take());
        let begun = Instant::now();
        while self.process.try_wait().expect("a child").is_none() {
            assert!(begun.elapsed() < Duration::from_mins(1), "still there");
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

/// A server that takes a while to start, lists its tools in another order each time, and ends when it is told to; with
/// `broken`, it does not start again.
const FLAPPING: &str = r#"
import json, os, random, sys, time
time.sleep(1.0)
if os.path.exists(sys.argv[1] + ".broken"): os._exit(5)
with open(sys.argv[1], "a") as starts: starts.write("x")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    name = asked.get("params", {}).get("name")
    if name == "die": os._exit(7)
    if name == "break":
        open(sys.argv[1] + ".broken", "w").close()
        os._exit(7)
    result = {"content": [{"type": "text", "text": "done"}]}
    if asked["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    if asked["method"] == "tools/list":
        tools = [{"name": name, "inputSchema": {}} for name in "abcdefgh"]
        random.shuffle(tools)
        result = {"tools": tools}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;

fn flapping(test: &str) -> (Wrapped, std::path::PathBuf) {
    let starts = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("flapping-{test}"));
    for file in [starts.clone(), starts.with_extension("broken")] {
        let _ = std::fs::remove_file(file);
    }
    let mut wrapped = start(&["python3", "-c", FLAPPING, &starts.display().to_string()]);
    wrapped.ask("initialize", "");
    wrapped.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    (wrapped, starts)
}

/// Behaviour 10.11: to its client, a server that ends and starts again is one server, with one list.
#[test]
fn a_server_that_ends_is_started_again_and_its_list_stays() {
    let (mut wrapped, starts) = flapping("again");
    let list = wrapped.ask("tools/list", "")["result"].clone();
    for turn in 0..3 {
        let gone = wrapped.ask("tools/call", "die");
        assert_eq!(gone["error"]["code"], -32000, "{turn}: {gone}");
        // The server is not there yet.
        assert_eq!(wrapped.ask("tools/list", "")["result"], list, "{turn}");
        assert_eq!(wrapped.ask("ping", "")["result"], json!({}));
        let early = wrapped.ask("tools/call", "a");
        let why = early["error"]["message"].as_str().expect("an error");
        assert!(why.contains("is being started again; try again"), "{why}");
        let begun = Instant::now();
        while wrapped.ask("tools/call", "a")["result"]["content"][0]["text"] != "done" {
            assert!(begun.elapsed() < Duration::from_mins(1), "it never came back");
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(wrapped.ask("tools/list", "")["result"], list, "{turn}: in the same order");
    }
    assert_eq!(std::fs::read_to_string(starts).expect("a file"), "xxxx");
    assert_eq!(wrapped.end().0, Some(0));
}

/// Behaviour 10.11: a server that is not there when its client leaves does not keep us.
#[test]
fn a_server_that_stays_away_does_not_keep_us() {
    let (mut wrapped, _) = flapping("away");
    assert_eq!(wrapped.ask("tools/call", "break")["error"]["code"], -32000);
    assert_eq!(wrapped.ask("tools/call", "a")["error"]["code"], -32000);
    let code = wrapped.end().0;
    assert!([Some(5), Some(7)].contains(&code), "{code:?}");
}

/// The output and exit code of a command with this input.
fn printed(command: &mut Command) -> (Vec<u8>, Vec<u8>, Option<i32>) {
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}});
    writeln!(process.stdin.take().expect("open"), "{call}").expect("told");
    let done = process.wait_with_output().expect("an end");
    (done.stdout, done.stderr, done.status.code())
}

/// Behaviour 10.9.
#[test]
fn faults_are_as_without_us() {
    for fault in [
        r#"out.write(b'\xff\x00 garbage\n[]\n{}\n\n{"id":1,"id":1}\n')"#,
        r#"out.write(b'{"jsonrpc": "2.0", "id": 1, "resu'); out.flush(); os._exit(3)"#,
        r"out.write(b'half a line')",
        r"sys.stderr.write('x' * (8 << 20) + 'end')",
        r#"out.write(b'{"id":1,"result":{"content":[]}}\n' * 3); out.flush(); os.kill(os.getpid(), 9)"#,
        r#"out.write(b'{"id":1,"result":"' + b'y' * (40 << 20)); sys.exit(1)"#,
    ] {
        let server = format!("import os, sys\nout = sys.stdout.buffer\nsys.stdin.readline()\n{fault}\n");
        let direct = printed(Command::new("python3").args(["-c", &server]));
        let wrapped = printed(
            Command::new(env!("CARGO_BIN_EXE_tersely"))
                .args(["mcp", "--", "python3", "-c", &server])
                .env("TERSELY_HISTORY_RECORD", "off"),
        );
        let code = direct.2.unwrap_or(128 + 9);
        assert!(direct.0 == wrapped.0 && direct.1 == wrapped.1, "{fault}");
        assert_eq!(wrapped.2, Some(code), "{fault}");
    }
}

/// Behaviour 10.9.
#[test]
fn a_hundred_megabytes_pass_and_are_not_held() {
    let server = r#"
import sys
sys.stdin.readline()
sys.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"' + "z" * (100 << 20) + '"}]}}\n')
sys.stdout.flush()
sys.stdin.readline()
"#;
    let mut wrapped = start(&["python3", "-c", server]);
    wrapped.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}));
    let mut line = Vec::new();
    wrapped.hears.read_until(b'\n', &mut line).expect("a line");
    let text = &line[line.len() - (100 << 20) - 6..line.len() - 6];
    assert!(text.iter().all(|byte| *byte == b'z') && line.ends_with(b"z\"}]}}\n"));
    let peak = peak(wrapped.process.id());
    assert!(peak < 200 << 20, "{peak}");
    assert_eq!(wrapped.end().0, Some(0));
}

/// The peak memory of a process.
fn peak(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<usize>().ok()).unwrap_or_default() << 10
}

/// Behaviour 10.9: a hanging server is not awaited longer than its client waits.
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

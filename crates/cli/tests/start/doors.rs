//! What each command records of what passes through it, to the token and the byte.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::seen::free;
use crate::stage::{Running, ask, get, scripted, start, tersely, turn};

/// A folder with a history, events and an address for metrics.
struct Books {
    folder: PathBuf,
    admin: String,
}

impl Books {
    fn new(test: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("doors").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self { folder, admin: free() }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn start(&self, args: &[&str]) -> Running {
        let (events, history) = (self.path("events.jsonl"), self.path("history.db"));
        let env = [
            ("TERSELY_EVENTS_FILE", events.as_str()),
            ("TERSELY_HISTORY_FILE", history.as_str()),
            ("TERSELY_HISTORY_RECORD", "on"),
            ("TERSELY_ADMIN_LISTEN", self.admin.as_str()),
        ];
        start(args, &env)
    }

    /// Runs `stats` on the history.
    fn stats(&self, args: &[&str]) -> String {
        let history = self.path("history.db");
        let args = [&["stats"], args].concat();
        let done = tersely(&args, &[("TERSELY_HISTORY_FILE", &history)]).output().expect("it ends");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("text")
    }

    /// Lines of the events, once there are this many requests.
    fn requests(&self, count: usize) -> Vec<Value> {
        let since = Instant::now();
        loop {
            let text = fs::read_to_string(self.path("events.jsonl")).unwrap_or_default();
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let lines: Vec<_> = lines.filter(|line| line["kind"] == "request").collect();
            if lines.len() >= count {
                return lines;
            }
            assert!(since.elapsed() < Duration::from_mins(1), "{lines:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The value of a series.
    fn metric(&self, series: &str) -> f64 {
        let text = get(&self.admin, "/metrics");
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.and_then(|value| value.parse().ok()).unwrap_or(0.0)
    }

    fn check(&self, expected: &[(&str, usize)]) {
        for (series, value) in expected {
            assert_eq!(self.metric(series).to_string(), value.to_string(), "{series}");
        }
    }
}

fn address(running: &Running) -> String {
    let line = running.line();
    let (_, rest) = line.split_once("http://").expect("an address");
    rest.split([',', ' ']).next().expect("an address").to_owned()
}

/// Rows as a tool returns them.
fn rows() -> String {
    let row = |id: usize| json!({"id": id, "name": format!("item-{id}"), "state": "open"});
    json!((1..60).map(row).collect::<Vec<_>>()).to_string()
}

/// Behaviour 13.5 and 10.2: an answer that is asked for in a form is told with its bytes, their ratio and the time; one
/// that is not is not even parsed, so there is nothing to tell.
#[test]
fn http_tells_what_a_form_saves() {
    let body = format!(r#"{{"rows":{}}}"#, rows());
    let script = body.clone();
    let (api, _seen) = scripted(move |seen| {
        (200, if seen.line.contains("/short") { "{}".to_owned() } else { script.clone() })
    });
    let books = Books::new("http");
    let door = books.start(&["http", "--listen", "127.0.0.1:0", "--upstream", &format!("http://{api}")]);
    let at = address(&door);
    let mut sent = 0;
    let mut ratio = String::new();
    for _ in 0..2 {
        let answer = ask(&at, "GET /rows HTTP/1.1\r\naccept-encoding: stc", "");
        let (head, text) = answer.split_once("\r\n\r\n").expect("an answer");
        sent += text.len();
        ratio = head.lines().find_map(|line| line.strip_prefix("x-stc-ratio: ")).expect("a ratio").to_owned();
    }
    ask(&at, "GET /short HTTP/1.1\r\naccept-encoding: stc", "");
    assert!(ask(&at, "GET /rows HTTP/1.1", "").ends_with(&body));
    let lines = books.requests(4);
    let stc = &lines[0]["forms"][0];
    assert_eq!((&stc["form"], &stc["texts"], &stc["converted"]), (&json!("stc"), &json!(1), &json!(1)));
    assert_eq!((&stc["bytes_before"], &stc["bytes_after"]), (&json!(body.len()), &json!(sent / 2)));
    assert_eq!(format!("{:.2}", stc["ratio"].as_f64().expect("a ratio")), ratio);
    assert!(stc["duration_us"].as_u64().is_some_and(|micros| micros > 0), "{stc}");
    assert_eq!(
        (&lines[2]["forms"][0]["converted"], &lines[2]["forms"][0]["ratio"]),
        (&json!(0), &Value::Null)
    );
    assert_eq!((&lines[3]["forms"], &lines[3]["provider"]), (&json!([]), &json!("http")));
    books.check(&[
        ("tersely_form_texts_total{form=\"stc\",outcome=\"converted\"}", 2),
        ("tersely_form_texts_total{form=\"stc\",outcome=\"kept\"}", 1),
        ("tersely_form_bytes_before_total{form=\"stc\"}", 2 * body.len()),
        ("tersely_form_bytes_after_total{form=\"stc\"}", sent),
        ("tersely_requests_total{provider=\"http\",status=\"2xx\",end=\"answered\"}", 4),
    ]);
    assert!(books.metric("tersely_form_seconds_total{form=\"stc\"}") > 0.0);
}

/// A call of a tool.
const CALL: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rows","arguments":{}}}"#;

/// Behaviour 13.34 and 10.8: a result behind `mcp serve` has the same tokens in events, metrics and history; one that is
/// asked for as TOON has its bytes.
#[test]
fn mcp_serve_tells_what_results_cost() {
    let text = json!({"type": "text", "text": rows()});
    let said = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [text]}}).to_string();
    let (server, _seen) = scripted(move |_| (200, said.clone()));
    let books = Books::new("mcp");
    let server = format!("files=http://{server}/mcp");
    let mut door = books.start(&["mcp", "serve", "--listen", "127.0.0.1:0", "--server", &server]);
    door.line();
    let line = door.line();
    let at =
        line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address").to_owned();
    let post = |more: &str| {
        let accept = "accept: application/json, text/event-stream\r\ncontent-type: application/json";
        let head = format!("POST /mcp/files HTTP/1.1\r\n{accept}\r\ncontent-length: {}{more}", CALL.len());
        ask(&at, &head, CALL)
    };
    assert!(post("").starts_with("HTTP/1.1 200"));
    let toon = post("\r\nx-prefer-format: toon\r\nx-tersely-project: shop");
    assert!(toon.contains("[59]{id,name,state}:"), "{toon}");
    let lines = books.requests(2);
    let tokens = |side: &str| {
        usize::try_from(lines[0]["request_tokens"][side].as_u64().expect("a count")).expect("a count")
    };
    let (before, after) = (tokens("before"), tokens("after"));
    assert!(after < before && after > 0, "{before} {after}");
    assert_eq!(
        (&lines[0]["provider"], &lines[0]["results"], &lines[0]["changed"]),
        (&json!("mcp"), &json!(1), &json!(1))
    );
    let form = &lines[1]["forms"][0];
    assert_eq!(
        (&form["form"], &form["converted"], &form["bytes_before"]),
        (&json!("toon"), &json!(1), &json!(rows().len()))
    );
    assert!(form["ratio"].as_f64().is_some_and(|ratio| ratio < 0.7), "{form}");
    assert_eq!(lines[1]["project"], "shop");
    books.check(&[
        ("tersely_results_total{provider=\"mcp\"}", 1),
        ("tersely_results_changed_total{provider=\"mcp\"}", 1),
        ("tersely_request_tokens_before_total{provider=\"mcp\"}", before),
        ("tersely_request_tokens_after_total{provider=\"mcp\"}", after),
        ("tersely_result_status_total{status=\"compressed\"}", 1),
        ("tersely_form_texts_total{form=\"toon\",outcome=\"converted\"}", 1),
        ("tersely_tenant_requests_total{tenant=\"none\",key=\"none\",project=\"shop\"}", 1),
    ]);
    door.signal("TERM");
    assert_eq!(door.code(), Some(0));
    let all: Value = serde_json::from_str(&books.stats(&["--json"])).expect("JSON");
    let all = &all["periods"]["all"];
    assert_eq!(
        (&all["requests"], &all["tokens_before"], &all["tokens_after"]),
        (&json!(2), &json!(before), &json!(after))
    );
}

/// A server that answers each line with rows.
const SERVER: &str = r#"
import json, sys
rows = [{"id": n, "name": "item-%d" % n, "state": "open"} for n in range(60)]
for line in sys.stdin:
    asked = json.loads(line)
    result = {"content": [{"type": "text", "text": json.dumps(rows)}]} if asked["method"] == "tools/call" else {}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;

/// Behaviour 13.34: `tersely mcp` records what it shortens in the history.
#[test]
fn a_wrapped_server_is_recorded() {
    let books = Books::new("wrapped");
    let history = books.path("history.db");
    let env = [("TERSELY_HISTORY_RECORD", "auto"), ("TERSELY_HISTORY_FILE", history.as_str())];
    let mut command = tersely(&["mcp", "--", "python3", "-c", SERVER], &env);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary");
    let mut says = child.stdin.take().expect("a pipe");
    let mut hears = BufReader::new(child.stdout.take().expect("a pipe"));
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    for line in [hello, CALL, CALL] {
        writeln!(says, "{line}").expect("a message");
        hears.read_line(&mut String::new()).expect("an answer");
    }
    drop(says);
    assert!(child.wait().expect("it ends").success());
    let all: Value = serde_json::from_str(&books.stats(&["--json"])).expect("JSON");
    let all = &all["periods"]["all"];
    assert_eq!((&all["requests"], &all["results"], &all["changed"]), (&json!(2), &json!(2), &json!(2)));
    assert!(all["tokens_saved"].as_i64().is_some_and(|saved| saved > 0), "{all}");
}

/// Behaviour 13.33: a bill for each tenant, as a table, as CSV and as JSON, of a month and of a session.
#[test]
fn stats_is_a_bill_for_each_tenant() {
    let usage = r#"{"type":"message","content":[],"usage":{"input_tokens":900,"output_tokens":10}}"#;
    let (provider, _seen) = scripted(move |_| (200, usage.to_owned()));
    let books = Books::new("bill");
    let hash = |key: &str| tersely_gateway::KeyHash::of(key.as_bytes()).to_string();
    let tenants = ["search", "ads"]
        .map(|name| format!("[[tenants]]\nname = \"{name}\"\nkeys = [\"laptop: {}\"]\n", hash(name)));
    let file = books.path("tersely.toml");
    fs::write(&file, tenants.concat()).expect("a file");
    let url = format!("http://{provider}");
    let mut door = books.start(&["serve", "--config", &file, "--listen", "127.0.0.1:0", "--upstream", &url]);
    let at = address(&door);
    let body = turn().0.replacen("\"m\"", "\"claude-opus-4-5\"", 1);
    for key in ["search", "search", "ads"] {
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nx-tersely-key: {key}\r\nsession-id: of-{key}\r\ncontent-length: {}",
            body.len()
        );
        assert!(ask(&at, &head, &body).starts_with("HTTP/1.1 200"));
    }
    books.requests(3);
    door.signal("TERM");
    assert_eq!(door.code(), Some(0));
    let table = books.stats(&["--by", "tenant"]);
    let names: Vec<_> = table.lines().map(|line| line.split_whitespace().next().unwrap_or("")).collect();
    assert_eq!(names, ["tenant", "search", "ads", "total"], "{table}");
    let told: Value = serde_json::from_str(&books.stats(&["--by", "key", "--json"])).expect("JSON");
    let row = &told["rows"][0];
    assert_eq!(
        (&row["tenant"], &row["key"], &row["requests"]),
        (&json!("search"), &json!("laptop"), &json!(2))
    );
    let whole: Value = serde_json::from_str(&books.stats(&["--json"])).expect("JSON");
    for name in ["tokens_before", "tokens_after", "tokens_saved", "billed_input", "requests"] {
        let sum: i64 =
            told["rows"].as_array().expect("rows").iter().filter_map(|row| row[name].as_i64()).sum();
        assert_eq!(json!(sum), whole["periods"]["all"][name], "{name}");
    }
    let day =
        whole["days"].as_array().and_then(|days| days.last()?["day"].as_str()).expect("a day").to_owned();
    let csv = books.stats(&["--by", "tenant", "--month", &day[..7], "--format", "csv"]);
    let lines: Vec<_> = csv.lines().collect();
    assert!(lines[0].starts_with("tenant,requests,failed,") && lines[1].starts_with("search,2,0,"), "{csv}");
    assert_eq!(lines.len(), 3);
    assert_eq!(books.stats(&["--by", "tenant", "--month", "2001-01", "--format", "csv"]).lines().count(), 1);
    let sessions: Value = serde_json::from_str(&books.stats(&["--by", "session", "--json"])).expect("JSON");
    let first = &sessions["rows"][0];
    assert_eq!((&first["tenant"], &first["turns"]), (&json!("search"), &json!(2)), "{sessions}");
    assert!(first["usd_paid"].as_f64() > sessions["rows"][1]["usd_paid"].as_f64(), "{sessions}");
}

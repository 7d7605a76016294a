//! Tests a gateway's observability: log, events and metrics.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::numbers::script::{Answer, Script};
use crate::stage::{Running, get, post, start, turn};

/// A free port.
pub(crate) fn free() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

pub(crate) fn events(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("tersely-{name}-{}.jsonl", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// A gateway with all telemetry enabled, its address and its admin address.
pub(crate) fn seen(upstream: &str, events: &str) -> (Running, String, String) {
    let admin = free();
    let url = format!("http://{upstream}");
    let args = ["serve", "--listen", "127.0.0.1:0", "--upstream", &url];
    let served = start(&args, &[("TERSELY_ADMIN_LISTEN", &admin), ("TERSELY_EVENTS_FILE", events)]);
    let address = served.address();
    (served, address, admin)
}

/// The body of an answer.
pub(crate) fn body_of(answer: &str) -> String {
    answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
}

/// The next log line about a request.
fn logged(served: &Running) -> Value {
    loop {
        if let Ok(line) = serde_json::from_str::<Value>(&served.line()) {
            return line;
        }
    }
}

fn metric(admin: &str, name: &str) -> u64 {
    let text = get(admin, "/metrics");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().expect("a number")
}

/// Behaviour 13.7.
#[test]
fn a_gateway_whose_upstream_is_gone_says_so() {
    let (served, address, admin) = seen(&free(), "");
    let answer = post(&address, "/v1/messages", "{}");
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    let line = logged(&served);
    assert_eq!(
        (&line["level"], &line["status"], &line["end"]),
        (&"WARN".into(), &502.into(), &"upstream".into())
    );
    assert!(line["why"].as_str().is_some_and(|why| why.contains("is unreachable")), "{line}");
    let failed = "tersely_requests_total{provider=\"anthropic\",status=\"5xx\",end=\"upstream\"}";
    assert_eq!(metric(&admin, failed), 1);
}

/// Behaviour 13.8: headers, log, events and metrics agree, and failed requests do not count.
#[test]
fn all_that_is_said_of_tokens_is_the_same() {
    let (upstream, script) = Script::start();
    let path = events("same");
    let (served, address, admin) = seen(&upstream.to_string(), &path.to_string_lossy());
    let (body, _) = turn();
    let good = post(&address, "/v1/messages", &body);
    script.then(Answer::Status(429));
    post(&address, "/v1/messages", &body);
    let header = |name: &str| {
        let found = good.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_else(|| panic!("no {name} in {good}")).trim().parse::<u64>().expect("a number")
    };
    let (before, after) =
        (header("x-tersely-request-tokens-before"), header("x-tersely-request-tokens-after"));
    assert!(after < before);
    let line = logged(&served);
    assert_eq!((&line["tokens_before"], &line["tokens_after"]), (&before.into(), &after.into()));
    assert_eq!(line["model"], "m");
    assert_eq!(logged(&served)["tokens_after"], Value::Null, "it was refused");
    let written = lines(&path, 3);
    assert_eq!(written[0]["request_tokens"], serde_json::json!({ "before": before, "after": after }));
    assert_eq!((&written[1]["kind"], &written[2]["status"]), (&"result".into(), &429.into()));
    let results = &written[0]["result_tokens"];
    assert_eq!(
        [&results["before"], &results["after"]],
        [&written[1]["before_tokens"], &written[1]["after_tokens"]]
    );
    for (name, tokens) in [("before", before), ("after", after)] {
        let name = format!("tersely_request_tokens_{name}_total{{provider=\"anthropic\"}}");
        assert_eq!(metric(&admin, &name), tokens);
    }
    let _ = fs::remove_file(path);
}

/// Waits for `count` lines of a file.
pub(crate) fn lines(path: &PathBuf, count: usize) -> Vec<Value> {
    let since = Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if lines.len() >= count || since.elapsed() > Duration::from_mins(1) {
            assert_eq!(lines.len(), count, "{text}");
            return lines;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Behaviour 13.10.
#[test]
fn other_machines_need_a_token() {
    let done = crate::stage::tersely(
        &["serve", "--listen", "127.0.0.1:0"],
        &[("TERSELY_ADMIN_LISTEN", "0.0.0.0:0")],
    )
    .output()
    .expect("it ends");
    assert_eq!(done.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(stderr.contains("set admin.token too"), "{stderr}");

    let admin = free();
    let env = [("TERSELY_ADMIN_LISTEN", admin.as_str()), ("TERSELY_ADMIN_TOKEN", "open-sesame")];
    let served = start(&["serve", "--listen", "127.0.0.1:0"], &env);
    served.address();
    let ask = |authorization: &str| {
        let mut stream = TcpStream::connect(&admin).expect("a gateway");
        let request =
            format!("GET /metrics HTTP/1.1\r\nhost: localhost\r\n{authorization}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    assert!(ask("").starts_with("HTTP/1.1 401"));
    assert!(ask("authorization: Bearer open-sesamE\r\n").starts_with("HTTP/1.1 401"));
    assert!(ask("authorization: Bearer open-sesame\r\n").starts_with("HTTP/1.1 200"));
    assert!(get(&admin, "/readyz").starts_with("HTTP/1.1 200"), "probes need no token");
}

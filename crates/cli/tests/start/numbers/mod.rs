//! Checks reported token counts to the token, against a count of the bodies on both sides.
//!
//! Bodies are parsed with `serde_json` here, not with the scanner that found the results. Failed requests are not
//! counted.

pub(crate) mod script;
pub(crate) mod shape;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tersely_core::O200k;
use tersely_testing::corpus::conversations;

use crate::stage::{Running, post, start, tersely};
use script::{Answer, Script};
use shape::{SHAPES, Shape};

/// Results of all kinds: some get shorter, some lose detail, one is repeated, one stays unchanged.
fn results() -> Vec<(String, String)> {
    let row = |id: usize| format!(r#"{{"id":{id},"name":"item-{id}","state":"open","owner":"team-a"}}"#);
    let rows = format!("[{}]", (1..60).map(row).collect::<Vec<_>>().join(","));
    let line =
        |n: usize| format!("2024-01-01T00:00:{:02}Z INFO worker {} finished batch {n}\n", n % 60, n % 7);
    let log = (0..1500).map(line).collect::<String>() + "error: disk full\n";
    let mark = "[terse9 json]\nnot ours, and written as if it were\n".to_owned();
    let texts = [rows.clone(), "a few words".to_owned(), log, mark, rows];
    texts.into_iter().enumerate().map(|(at, text)| (format!("call_{at}"), text)).collect()
}

/// Tokens before and after.
type Pair = (usize, usize);

fn signed(tokens: usize) -> i64 {
    i64::try_from(tokens).expect("few")
}

/// Saved tokens.
fn less((before, after): Pair) -> i64 {
    signed(before) - signed(after)
}

/// What a client and an upstream can count together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    results: Pair,
    whole: Pair,
}

/// Counts a body as sent and as received.
fn count(shape: &Shape, sent: &str, received: &str) -> Count {
    let results = |body| shape.results(body).iter().map(|(_, text)| O200k.count(text)).sum();
    Count { results: (results(sent), results(received)), whole: (O200k.count(sent), O200k.count(received)) }
}

fn header(answer: &str, name: &str) -> Option<String> {
    let head = answer.split("\r\n\r\n").next()?.to_ascii_lowercase();
    let value = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
    Some(value.trim().to_owned())
}

/// The number in one of our headers.
fn number(answer: &str, name: &str) -> usize {
    let value = header(answer, &format!("x-tersely-{name}"));
    value.unwrap_or_else(|| panic!("no {name} in {answer}")).parse().expect("a number")
}

/// Checks the headers of a response against a count.
fn check(shape: &Shape, answer: &str, sent: &str, received: &str) {
    let said = Count {
        results: (number(answer, "tokens-before"), number(answer, "tokens-after")),
        whole: (number(answer, "request-tokens-before"), number(answer, "request-tokens-after")),
    };
    assert_eq!(said, count(shape, sent, received), "{}", shape.name);
    let stages = header(answer, "x-tersely-stages").unwrap_or_default();
    let saved =
        stages.split(", ").filter_map(|stage| stage.split_once('=')?.1.parse::<i64>().ok()).sum::<i64>();
    assert_eq!(saved, less(said.results), "{}: {stages}", shape.name);
    assert_eq!(number(answer, "tokens-tool") > 0, received.contains("\"expand_context\""), "{}", shape.name);
}

/// The bodies here are too short for the tool to be offered by default.
const EXPAND: (&str, &str) = ("TERSELY_EXPAND", "always");

fn serve(upstream: &str) -> Running {
    start(&["serve", "--listen", "127.0.0.1:0", "--upstream", upstream], &[EXPAND])
}

/// The summary of a gateway after it is stopped.
fn closing(served: &mut Running) -> String {
    served.signal("TERM");
    let mut lines = Vec::new();
    while let Ok(line) = served.said.recv_timeout(Duration::from_mins(1)) {
        lines.push(line);
    }
    assert_eq!(served.code(), Some(0));
    let first = lines.iter().position(|line| line.contains(" tokens saved, ")).expect("a closing line");
    lines[first..].join("\n")
}

/// The numbers in a text, in order.
fn numbers(text: &str) -> Vec<i64> {
    let plain = text.replace(',', "");
    let words = plain.split(|c: char| !c.is_ascii_digit() && c != '-' && c != '.');
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Checks the summary against everything that was sent and answered with success.
fn check_closing(said: &str, exchanges: &[(&Shape, String, String)], tool: usize, failed: i64) {
    let mut seen = HashSet::new();
    let (mut whole, mut fresh): (Pair, Pair) = Default::default();
    for (shape, sent, received) in exchanges {
        let all = count(shape, sent, received).whole;
        whole = (whole.0 + all.0, whole.1 + all.1);
        for (before, after) in shape.results(sent).iter().zip(shape.results(received)) {
            if seen.insert(before.clone()) {
                fresh = (fresh.0 + O200k.count(&before.1), fresh.1 + O200k.count(&after.1));
            }
        }
    }
    let lines: Vec<_> = said.lines().collect();
    let expected = [signed(exchanges.len()), less(whole), signed(whole.0)];
    assert_eq!(numbers(lines[0])[..3], expected, "{said}");
    assert_eq!(numbers(lines[0]).last(), Some(&signed(tool)), "{said}");
    assert_eq!(numbers(lines[1])[..2], [less(fresh), signed(fresh.0)], "{said}");
    assert_eq!(lines.get(2).map_or(0, |line| numbers(line)[0]), failed, "{said}");
}

#[test]
fn what_is_said_is_what_the_upstream_received() {
    let (address, script) = Script::start();
    let mut served = serve(&format!("http://{address}"));
    let here = served.address();
    let mut exchanges = Vec::new();
    let (mut tools, mut failed) = (HashMap::new(), 0);
    for shape in &SHAPES {
        for many in 1..=results().len() {
            let body = (shape.body)(&results()[..many]).to_string();
            if many == 2 {
                for answer in [Answer::Status(502), Answer::Status(429), Answer::Status(400), Answer::Hangup]
                {
                    script.then(answer);
                    let answer = post(&here, shape.path, &body);
                    assert!(!answer.contains("tokens"), "{answer}");
                    failed += 1;
                }
            }
            let answer = post(&here, shape.path, &body);
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
            check(shape, &answer, &body, &script.last());
            let tool = number(&answer, "tokens-tool");
            assert_eq!(*tools.entry(shape.name).or_insert(tool), tool, "the same in every request");
            exchanges.push((shape, body, script.last()));
        }
    }
    let tool = tools.values().sum::<usize>() * results().len();
    check_closing(&closing(&mut served), &exchanges, tool, failed);
}

/// The growth of a body with tools and without results equals our tool's count.
#[test]
fn our_own_tool_is_counted_to_the_token() {
    let (address, script) = Script::start();
    let served = serve(&format!("http://{address}"));
    let here = served.address();
    for shape in SHAPES.iter().filter(|shape| shape.name != "ollama") {
        let body = (shape.body)(&[]).to_string();
        let answer = post(&here, shape.path, &body);
        check(shape, &answer, &body, &script.last());
        let grown = O200k.count(&script.last()) - O200k.count(&body);
        assert_eq!(number(&answer, "tokens-tool"), grown, "{}", shape.name);
    }
}

#[test]
fn requests_that_fail_save_nothing() {
    let (address, script) = Script::start();
    let mut served = serve(&format!("http://{address}"));
    let here = served.address();
    let body = (SHAPES[0].body)(&results()).to_string();
    for _ in 0..5 {
        script.then(Answer::Status(502));
        assert!(post(&here, SHAPES[0].path, &body).starts_with("HTTP/1.1 502"));
    }
    script.then(Answer::Never);
    leave(&here, SHAPES[0].path, &body, || script.is_over());
    let said = closing(&mut served);
    assert_eq!(
        said,
        "tersely: 0 requests: 0 of 0 tokens saved, 0.0 %\n  6 failed requests not counted: 5 with status 502, 1 unanswered"
    );
}

/// Sends a request, and disconnects once the upstream has it.
fn leave(address: &str, path: &str, body: &str, is_there: impl Fn() -> bool) {
    let mut stream = TcpStream::connect(address).expect("a gateway");
    let head = format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).expect("a request is sent");
    while !is_there() {
        thread::sleep(Duration::from_millis(5));
    }
    drop(stream);
    thread::sleep(Duration::from_millis(100));
}

#[test]
fn a_run_ends_with_the_same_numbers() {
    let (address, script) = Script::start();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numbers");
    fs::create_dir_all(&folder).expect("a folder");
    let shape = &SHAPES[0];
    let bodies: Vec<_> = (1..=3).map(|many| (shape.body)(&results()[..many]).to_string()).collect();
    for (at, body) in bodies.iter().enumerate() {
        fs::write(folder.join(format!("{at}.json")), body).expect("a file");
    }
    script.then(Answer::Status(200));
    script.then(Answer::Status(500));
    let send = "curl -s -o /dev/null --data-binary @$at.json $ANTHROPIC_BASE_URL/v1/messages";
    let command = format!("for at in 0 1 1 2; do {send}; done");
    let base = format!("http://{address}");
    let ran = tersely(&["run", "sh", "-c", &command], &[("ANTHROPIC_BASE_URL", &base), EXPAND])
        .current_dir(&folder)
        .output()
        .expect("it ends");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let exchanges: Vec<_> =
        bodies.into_iter().zip(script.bodies()).map(|(sent, received)| (shape, sent, received)).collect();
    assert_eq!(exchanges.len(), 3);
    let tool = compressed(shape, &exchanges[0].1).0["tool"].as_u64().expect("a number");
    check_closing(&said, &exchanges, 3 * usize::try_from(tool).expect("few"), 1);
}

/// Runs `tersely compress --body`; returns its JSON with the body, and its table.
fn compressed(shape: &Shape, body: &str) -> (Value, String) {
    let args = ["compress", "--body", "--provider", shape.name, "--json", "--explain"];
    let mut child = tersely(&args, &[EXPAND])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = body.to_owned();
    let feeder = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let done = child.wait_with_output().expect("it ends");
    feeder.join().expect("no panic").expect("it reads");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    (serde_json::from_slice(&done.stdout).expect("JSON"), said)
}

fn check_compressed(shape: &Shape, body: &str) {
    let (object, said) = compressed(shape, body);
    let count = count(shape, body, object["body"].as_str().expect("a body"));
    let pair = |it: &Value| (it["before"].as_u64(), it["after"].as_u64());
    let wide = |pair: Pair| (u64::try_from(pair.0).ok(), u64::try_from(pair.1).ok());
    assert_eq!(
        (pair(&object), pair(&object["whole"])),
        (wide(count.results), wide(count.whole)),
        "{}",
        shape.name
    );
    let ((before, after), (all, left)) = (count.results, count.whole);
    for line in
        [format!("tokens: {before} before, {after} after"), format!("body: {all} before, {left} after")]
    {
        assert!(said.contains(&line), "{line} in {said}");
    }
    let saved =
        object["stages"].as_array().expect("stages").iter().filter_map(|stage| stage["saved"].as_i64());
    assert_eq!(saved.sum::<i64>(), less(count.results), "{said}");
    if object["tool"] != 0 {
        assert!(said.contains(&format!("tokens of the added tool: {}", object["tool"])), "{said}");
    }
}

#[test]
fn a_body_is_accounted_for_as_it_is_written() {
    for shape in &SHAPES {
        check_compressed(shape, &(shape.body)(&results()).to_string());
        check_compressed(shape, &(shape.body)(&[]).to_string());
    }
}

/// The shortest conversations of each provider.
#[test]
fn conversations_are_accounted_for_too() {
    let mut conversations = conversations();
    conversations.sort_by_key(|conversation| conversation.body.len());
    for conversation in conversations.into_iter().take(6) {
        let shape = SHAPES.iter().find(|shape| shape.name == conversation.provider.name());
        let body = String::from_utf8(conversation.body).expect("a text");
        check_compressed(shape.expect("a shape"), &body);
    }
}

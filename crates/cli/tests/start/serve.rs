//! Tests `tersely serve` as people start it.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use tersely_testing::pace::at_most;

use crate::stage::{Running, ask, get, post, start, tersely, turn, upstream};

fn check_refused(args: &[&str], said: &[&str]) {
    let done = tersely(args, &[]).output().expect("it ends");
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{stderr}");
    for words in said {
        assert!(stderr.contains(words), "{args:?} should say {words:?}, said: {stderr}");
    }
}

#[test]
fn a_result_gets_smaller_and_the_rest_stays() {
    let (address, seen) = upstream(Duration::ZERO);
    let served =
        start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &format!("http://{address}")], &[]);
    let (body, text) = turn();
    let answer = post(&served.address(), "/v1/messages?beta=true", &body);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let seen = seen.recv().expect("a request");
    assert_eq!(seen.line, "POST /v1/messages?beta=true HTTP/1.1");
    let start = body.find("\"content\":\"").expect("a result") + 10;
    let end = body.len() - start - serde_json::Value::from(text).to_string().len();
    assert_eq!(seen.body[..start], body[..start]);
    assert_eq!(seen.body[seen.body.len() - end..], body[body.len() - end..]);
    assert!(seen.body.len() * 2 < body.len(), "{}", seen.body);
}

#[test]
fn disabled_mode_changes_nothing() {
    let (address, seen) = upstream(Duration::ZERO);
    let url = format!("http://{address}");
    let served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &url, "--mode", "disabled"], &[]);
    let (body, _) = turn();
    post(&served.address(), "/v1/messages", &body);
    assert_eq!(seen.recv().expect("a request").body, body);
}

#[test]
fn it_says_where_it_listens_where_requests_go_and_how_to_use_it() {
    let served = start(&["serve", "--listen", "127.0.0.1:0"], &[]);
    let ready = served.line();
    for words in ["ready on http://127.0.0.1:", "standard mode", "anthropic to https://api.anthropic.com"] {
        assert!(ready.contains(words), "{ready}");
    }
    let hints: Vec<_> = (0..4).map(|_| served.line()).collect();
    assert!(hints[0].contains("ANTHROPIC_BASE_URL=http://127.0.0.1:"), "{hints:?}");
    assert!(hints[1].contains("openai_base_url='\"http://127.0.0.1:"), "{hints:?}");
}

/// Behaviour 0.11: a gateway with masking everywhere warns where masks may end up.
#[test]
fn it_says_that_files_may_receive_masks() {
    let served = start(&["serve", "--listen", "127.0.0.1:0", "--redact-secrets"], &[]);
    let lines = [served.line(), served.line()].concat();
    for words in ["an agent may write masks into your files", "Aider", "Cline"] {
        assert!(lines.contains(words), "{lines}");
    }
}

#[test]
fn a_taken_port_is_said_plainly() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    // A listener that never answers is not our gateway; one that closes the connection is recognised sooner.
    thread::spawn(move || other.incoming().for_each(drop));
    check_refused(
        &["serve", "--listen", &address],
        &["another program already listens on 127.0.0.1:", "--listen 127.0.0.1:0"],
    );
    let served = start(&["serve", "--listen", "127.0.0.1:0"], &[]);
    check_refused(&["serve", "--listen", &served.address()], &["Tersely is already running on 127.0.0.1:"]);
}

#[test]
fn flags_that_cannot_be_meant_are_refused() {
    check_refused(&["serve", "--listen", "here"], &["--listen"]);
    check_refused(&["serve", "--upstream", "ftp://h"], &["--upstream", "neither http nor https"]);
    check_refused(&["serve", "--listen", "192.0.2.1:1"], &["is not an address of this machine", "127.0.0.1"]);
    check_refused(&["serve", "--mode", "more"], &["unknown mode"]);
}

/// No notice period, to keep tests fast.
const AT_ONCE: (&str, &str) = ("TERSELY_TIMEOUTS_NOTICE", "0s");

fn served(upstream: SocketAddr, env: &[(&str, &str)]) -> Running {
    start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &format!("http://{upstream}")], env)
}

#[test]
fn a_signal_lets_answers_finish() {
    let (address, seen) = upstream(Duration::from_millis(600));
    let mut served = served(address, &[AT_ONCE]);
    let here = served.address();
    let asking = thread::spawn(move || post(&here, "/v1/messages", "{}"));
    seen.recv().expect("a request");
    served.signal("TERM");
    assert!(asking.join().expect("no panic").ends_with("{}"));
    assert_eq!(served.code(), Some(0));
}

#[test]
fn it_ends_with_what_was_saved() {
    let (address, seen) = upstream(Duration::ZERO);
    let mut served = served(address, &[AT_ONCE]);
    post(&served.address(), "/v1/messages", &turn().0);
    seen.recv().expect("a request");
    served.signal("TERM");
    let mut line = served.line();
    while !line.starts_with("tersely: 1 request: ") {
        line = served.line();
    }
    assert!(line.contains(" tokens saved, ") && line.ends_with(" %"), "{line}");
    assert!(served.line().starts_with("  tool results, counted once each: "));
    assert_eq!(served.code(), Some(0));
}

#[test]
fn a_second_signal_ends_at_once() {
    let (address, seen) = upstream(Duration::from_mins(1));
    let mut served = served(address, &[]);
    let here = served.address();
    thread::spawn(move || post(&here, "/v1/messages", "{}"));
    seen.recv().expect("a request");
    served.signal("INT");
    while !served.line().contains("second signal") {}
    served.signal("TERM");
    assert_eq!(served.code(), Some(128 + 15));
}

/// A load balancer has to notice the shutdown before requests are refused.
#[test]
fn sigterm_is_told_by_readyz_while_requests_are_still_taken() {
    let (address, seen) = upstream(Duration::ZERO);
    let mut served = served(address, &[("TERSELY_TIMEOUTS_NOTICE", "1500ms")]);
    let here = served.address();
    assert!(get(&here, "/readyz").starts_with("HTTP/1.1 200"));
    let begun = Instant::now();
    served.signal("TERM");
    while !served.line().contains("accepting requests for another 1.5s") {}
    let ready = get(&here, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 503") && ready.contains("draining"), "{ready}");
    assert!(get(&here, "/healthz").starts_with("HTTP/1.1 200"));
    assert!(post(&here, "/v1/messages", "{}").starts_with("HTTP/1.1 200"));
    seen.recv().expect("a request");
    assert_eq!(served.code(), Some(0));
    assert!(begun.elapsed() >= Duration::from_millis(1500), "{:?}", begun.elapsed());
    assert!(TcpStream::connect(&here).is_err());
}

#[test]
fn a_second_signal_ends_the_notice_too() {
    let (address, _seen) = upstream(Duration::ZERO);
    let mut served = served(address, &[("TERSELY_TIMEOUTS_NOTICE", "1m")]);
    served.address();
    served.signal("TERM");
    while !served.line().contains("second signal") {}
    served.signal("TERM");
    assert_eq!(served.code(), Some(128 + 15));
}

/// A person at the terminal does not wait for load balancers.
#[test]
fn ctrl_c_takes_no_more_requests() {
    let (address, _seen) = upstream(Duration::ZERO);
    let mut served = served(address, &[("TERSELY_TIMEOUTS_NOTICE", "1m")]);
    served.address();
    let begun = Instant::now();
    served.signal("INT");
    assert_eq!(served.code(), Some(0));
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}

/// Behaviour 13.22: no load balancer uses a loopback address, so there is no notice period.
#[test]
fn sigterm_ends_an_idle_gateway_on_a_loopback_address_at_once() {
    let (address, _seen) = upstream(Duration::ZERO);
    let mut served = served(address, &[]);
    served.address();
    let begun = Instant::now();
    served.signal("TERM");
    assert_eq!(served.code(), Some(0));
    assert!(begun.elapsed() < at_most(Duration::from_secs(1)), "{:?}", begun.elapsed());
}

/// A supervisor may stop reading the log: requests are still answered, and a signal still ends the gateway.
#[test]
fn a_log_that_nobody_reads_stops_neither_requests_nor_the_exit() {
    let mut command = tersely(&["serve", "--listen", "127.0.0.1:0"], &[AT_ONCE]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
    // The pipe stays open, and nothing else is read from it.
    let mut unread = BufReader::with_capacity(64, child.stderr.take().expect("a pipe"));
    let mut ready = String::new();
    unread.read_line(&mut ready).expect("the startup message");
    let (tell, said) = channel();
    tell.send(ready).expect("a receiver");
    let mut served = Running { child, said };
    let here = served.address();
    // A pipe has room for 64 KiB, which is less than a line for each of these.
    for _ in 0..600 {
        let head = "POST /v1/messages HTTP/1.1\r\norigin: http://elsewhere.example\r\ncontent-length: 0";
        let answer = ask(&here, head, "");
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
    served.signal("TERM");
    let begun = Instant::now();
    while served.child.try_wait().expect("a child").is_none() {
        assert!(begun.elapsed() < at_most(Duration::from_secs(10)), "still running");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(served.code(), Some(0));
}

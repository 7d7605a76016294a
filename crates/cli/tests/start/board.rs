//! Tests the dashboard as a browser uses it: access, forms and content.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tersely_testing::pace::at_most;

use crate::stage::{Running, listen_to, post, start, tersely, turn, upstream};

/// A gateway, its address, and its admin address.
struct Watched {
    served: Running,
    address: String,
    admin: String,
}

fn watched(env: &[(&str, &str)]) -> Watched {
    let (upstream, _) = upstream(Duration::ZERO);
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let admin = free.local_addr().expect("an address").to_string();
    drop(free);
    let url = format!("http://{upstream}");
    let env = [&[("TERSELY_ADMIN_LISTEN", admin.as_str())], env].concat();
    let served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &url], &env);
    let address = served.address();
    Watched { served, address, admin }
}

impl Watched {
    /// Sends a request with these headers; returns the whole answer.
    fn ask(&self, line: &str, headers: &[&str], body: &str) -> String {
        let mut stream = TcpStream::connect(&self.admin).expect("a gateway");
        let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
        let host =
            if headers.contains("host:") { String::new() } else { format!("host: {}\r\n", self.admin) };
        let request = format!(
            "{line} HTTP/1.1\r\n{host}{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("a request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Its statistics, once they include `requests` requests.
    fn stats(&self, requests: u64) -> Value {
        let since = Instant::now();
        loop {
            let answer = self.ask("GET /stats", &[], "");
            let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            let stats: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
            if stats["periods"]["all"]["requests"] == requests || since.elapsed() > Duration::from_mins(1) {
                assert_eq!(stats["periods"]["all"]["requests"], requests);
                return stats;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn is(answer: &str, status: u16) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{}", &answer[..answer.len().min(400)]);
}

/// Behaviour 15.6.
#[cfg(unix)]
#[test]
fn clients_leave_files_for_probes() {
    let (upstream, _) = upstream(Duration::ZERO);
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let admin = free.local_addr().expect("an address").to_string();
    drop(free);
    let url = format!("http://{upstream}");
    let args = ["serve", "--listen", "127.0.0.1:0", "--upstream", &url];
    let plain = tersely(&args, &[("TERSELY_ADMIN_LISTEN", &admin)]);
    let mut limited = Command::new("sh");
    limited.args(["-c", r#"ulimit -n 128; exec "$0" "$@""#]).arg(plain.get_program()).args(plain.get_args());
    limited.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let served = listen_to(limited);
    let address = served.address();
    let _silent: Vec<_> = (0..200).map(|_| TcpStream::connect(&address).expect("a connection")).collect();
    std::thread::sleep(Duration::from_millis(300));
    let watched = Watched { served, address, admin };
    let since = Instant::now();
    is(&watched.ask("GET /healthz", &[], ""), 200);
    assert!(since.elapsed() < at_most(Duration::from_secs(1)), "{:?}", since.elapsed());
}

#[test]
fn the_page_stands_alone_and_nobody_may_frame_it() {
    let watched = watched(&[]);
    let page = watched.ask("GET /_tersely/", &[], "");
    is(&page, 200);
    let policies: Vec<_> = page.lines().filter(|line| line.starts_with("content-security-policy")).collect();
    let [policy] = policies[..] else { panic!("two would both hold: {policies:?}") };
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert!(page.contains("<form hidden"), "there is nothing to log out of");
    let home = watched.ask("GET /", &[], "");
    is(&home, 303);
    assert!(home.contains("location: /_tersely/"), "{home}");
    is(&watched.ask("HEAD /_tersely/", &[], ""), 200);
    is(&watched.ask("POST /_tersely/", &[], ""), 405);
    is(&watched.ask("GET /_tersely/play", &[], ""), 405);
    is(&watched.ask("GET /_tersely/nothing", &[], ""), 404);
}

#[test]
fn without_a_history_it_shows_what_has_come_since_the_start() {
    let watched = watched(&[]);
    assert_eq!(watched.stats(0)["requests"], Value::Array(Vec::new()));
    for _ in 0..3 {
        post(&watched.address, "/v1/messages", &turn().0);
    }
    let stats = watched.stats(3);
    assert_eq!(stats["requests"].as_array().map(Vec::len), Some(3));
    assert_eq!(stats["mode"], "standard");
    let today = &stats["periods"]["today"];
    assert!(today["tokens_saved"].as_i64().is_some_and(|saved| saved > 0), "{today}");
    assert_eq!(stats["history"]["dropped"], 0);
}

#[test]
fn numbers_come_by_themselves_as_they_change() {
    let watched = watched(&[]);
    let mut stream = TcpStream::connect(&watched.admin).expect("a gateway");
    let head = format!("GET /_tersely/live HTTP/1.1\r\nhost: {}\r\n\r\n", watched.admin);
    stream.write_all(head.as_bytes()).expect("a request is sent");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a timeout");
    let mut said_so_far = String::new();
    let mut until = |word: &str| {
        let mut bytes = vec![0; 65536];
        while !said_so_far.contains(word) {
            let read = stream.read(&mut bytes).expect("more of the stream");
            assert!(read > 0, "the stream ended");
            said_so_far.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        said_so_far.clear();
    };
    until("\"requests\":0,");
    post(&watched.address, "/v1/messages", &turn().0);
    until("\"requests\":1,");
}

#[test]
fn a_text_is_tried_out_by_the_page_and_by_no_other() {
    let watched = watched(&[]);
    let text = serde_json::json!({ "text": turn().1, "tool": "Bash", "mode": "standard" }).to_string();
    let own = format!("origin: http://{}", watched.admin);
    let answer = watched.ask("POST /_tersely/play", &[&own], &text);
    is(&answer, 200);
    let tried: Value = serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("JSON");
    assert!(tried["after"].as_u64() < tried["before"].as_u64(), "{tried}");
    assert_eq!(
        (&tried["mode"], tried["steps"].as_array().map(Vec::is_empty)),
        (&"standard".into(), Some(false))
    );
    for header in [
        "origin: http://localhost:3000",
        "origin: http://evil.example",
        "origin: null",
        "sec-fetch-site: cross-site",
    ] {
        is(&watched.ask("POST /_tersely/play", &[header], &text), 403);
    }
    is(&watched.ask("POST /_tersely/play", &["host: evil.example"], &text), 403);
    is(&watched.ask("GET /stats", &["host: evil.example"], ""), 403);
    is(&watched.ask("POST /_tersely/play", &[], "{}"), 400);
    is(&watched.ask("POST /_tersely/play", &[], r#"{"text": "x", "mode": "no such"}"#), 400);
    is(&watched.ask("POST /_tersely/play", &[], &"x".repeat(3 << 20)), 413);
    assert_eq!(watched.stats(0)["periods"]["all"]["requests"], 0, "nothing of it is recorded");
}

#[test]
fn whoever_knows_the_token_is_let_in_and_nobody_else() {
    let mut watched = watched(&[("TERSELY_ADMIN_TOKEN", "open/sesame")]);
    let page = watched.ask("GET /_tersely/", &[], "");
    is(&page, 401);
    assert!(page.contains("type=\"password\"") && !page.contains("EventSource"), "only the form is shown");
    // Without it, browsers send `Origin: null`, and the form is rejected.
    assert!(page.contains("\r\nreferrer-policy: same-origin\r\n"), "{page}");
    for path in ["/stats", "/_tersely/live", "/_tersely/session/1", "/metrics"] {
        is(&watched.ask(&format!("GET {path}"), &[], ""), 401);
    }
    is(&watched.ask("POST /_tersely/play", &[], "{}"), 401);
    is(&watched.ask("POST /_tersely/login", &[], "token=wrong"), 403);
    is(&watched.ask("POST /_tersely/login", &["origin: http://evil.example"], "token=open%2Fsesame"), 403);

    let answer = watched.ask("POST /_tersely/login", &[], "token=open%2Fsesame");
    is(&answer, 303);
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains("sesame"), "{cookie}");
    let cookie = format!("cookie: other=1; {}", cookie.split(';').next().expect("a pair"));
    let page = watched.ask("GET /_tersely/", &[&cookie], "");
    is(&page, 200);
    assert!(page.contains("class=\"logout\""), "there is something to log out of");
    is(&watched.ask("GET /stats", &[&cookie], ""), 200);
    is(&watched.ask("GET /stats", &["authorization: Bearer open/sesame"], ""), 200);
    assert!(watched.ask("POST /_tersely/logout", &[&cookie], "").contains("Max-Age=0"));
    watched.served.signal("INT");
    watched.served.code();
}

//! Tests what is read from the headers of responses about an account's limits, and where it is shown.

use std::fs;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::stage::{Running, ask, request, start, tersely, turn};

/// The headers of the responses of Claude's subscriptions.
const FIVE: &str = "anthropic-ratelimit-unified-5h";
const WEEK: &str = "anthropic-ratelimit-unified-7d";

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// An upstream that answers request `n` with the status and the headers that the script gives it.
fn upstream(script: impl Fn(usize) -> (u16, Vec<(String, String)>) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let mut asked = 0;
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            if request(&mut reader).is_none() {
                continue;
            }
            let (status, headers) = script(asked);
            asked += 1;
            let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let head =
                format!("HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\n{}", lines.concat());
            let whole = format!("{head}content-length: 2\r\nconnection: close\r\n\r\n{{}}");
            let _ = reader.get_mut().write_all(whole.as_bytes());
        }
    });
    address
}

fn owned(headers: &[(&str, &str)]) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A gateway with a history and an events file of its own.
struct Gate {
    running: Running,
    address: String,
    admin: String,
    folder: PathBuf,
}

impl Gate {
    fn new(test: &str, upstream: SocketAddr) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("limits").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let (history, events) = (folder.join("history.db"), folder.join("events.jsonl"));
        let [history, events] = [history, events].map(|path| path.display().to_string());
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
        let admin = free.to_string();
        let env = [
            ("TERSELY_ADMIN_LISTEN", admin.as_str()),
            ("TERSELY_HISTORY_RECORD", "on"),
            ("TERSELY_HISTORY_FILE", history.as_str()),
            ("TERSELY_EVENTS_FILE", events.as_str()),
        ];
        let upstream = format!("http://{upstream}");
        let running = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &upstream], &env);
        let address = running.address();
        Self { running, address, admin, folder }
    }

    /// Sends a request of a session; gives the whole answer.
    fn send(&self, path: &str, session: &str) -> String {
        let body = turn().0;
        let head = format!(
            "POST {path} HTTP/1.1\r\nx-api-key: k\r\nx-session-id: {session}\r\ncontent-length: {}",
            body.len()
        );
        ask(&self.address, &head, &body)
    }

    /// What `stats --json` says once it has counted this many requests.
    fn stats(&self, requests: u64) -> Value {
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            let told = self.run(&["stats", "--json"]);
            let told: Value = serde_json::from_str(&told).unwrap_or_default();
            if told["periods"]["all"]["requests"] == requests {
                return told;
            }
            assert!(Instant::now() < until, "{told}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The JSON that the dashboard reads at this path.
    fn dashboard(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(&self.admin).expect("a dashboard");
        let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.admin);
        stream.write_all(head.as_bytes()).expect("a request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
    }

    fn run(&self, args: &[&str]) -> String {
        let file = self.folder.join("history.db").display().to_string();
        let done = tersely(args, &[("TERSELY_HISTORY_FILE", &file)]).output().expect("it ends");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// The limits in the events, request by request.
    fn events(&mut self) -> Vec<Value> {
        self.running.signal("TERM");
        self.running.code();
        let text = fs::read_to_string(self.folder.join("events.jsonl")).expect("events");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines.filter(|line| line["kind"] == "request").map(|line| line["limits"].clone()).collect()
    }
}

/// A path, the headers of its response, and the limits in them.
type LimitedResponse = (&'static str, Vec<(String, String)>, Value);

/// Responses of each provider, and one with headers that are not numbers.
fn responses() -> Vec<LimitedResponse> {
    let reset = (now() + 9_000).to_string();
    vec![
        (
            "/v1/messages",
            owned(&[
                (&format!("{FIVE}-utilization"), "0.42"),
                (&format!("{FIVE}-reset"), &reset),
                (&format!("{FIVE}-status"), "allowed_warning"),
                (&format!("{WEEK}-utilization"), "0.18"),
                ("anthropic-ratelimit-unified-representative-claim", "five_hour"),
            ]),
            json!([["5h", 42.0, "allowed_warning"], ["7d", 18.0, null]]),
        ),
        (
            "/v1/responses",
            owned(&[
                ("x-codex-primary-used-percent", "12.5"),
                ("x-codex-primary-window-minutes", "300"),
                ("x-codex-primary-reset-at", &reset),
                ("x-codex-secondary-used-percent", "3"),
                ("x-codex-secondary-window-minutes", "10080"),
                ("x-codex-secondary-reset-after-seconds", "600"),
            ]),
            json!([["5h", 12.5, null], ["7d", 3.0, null]]),
        ),
        (
            "/v1/chat/completions",
            owned(&[
                ("x-ratelimit-limit-tokens", "1000"),
                ("x-ratelimit-remaining-tokens", "900"),
                ("x-ratelimit-reset-tokens", "6m0s"),
                ("x-ratelimit-limit-requests", "50"),
                ("x-ratelimit-remaining-requests", "49"),
            ]),
            json!([["tokens", 10.0, null], ["requests", 2.0, null]]),
        ),
        ("/v1beta/models/m:generateContent", Vec::new(), json!([])),
        (
            "/v1/messages",
            owned(&[
                (&format!("{FIVE}-utilization"), "cAnAry7Q"),
                (&format!("{WEEK}-utilization"), "0.5"),
                (&format!("{WEEK}-status"), "cAnAry7Q"),
                (&format!("{WEEK}-reset"), "cAnAry7Q"),
            ]),
            json!([["7d", 50.0, null]]),
        ),
    ]
}

/// Behaviour 13.26: each provider's headers, in the events and in the history; numbers only.
#[test]
fn every_providers_limits_are_recorded() {
    let scripts = responses();
    let headers: Vec<_> = scripts.iter().map(|(_, headers, _)| headers.clone()).collect();
    let mut gate = Gate::new("providers", upstream(move |at| (200, headers[at].clone())));
    for (at, (path, headers, _)) in scripts.iter().enumerate() {
        let answer = gate.send(path, &format!("s{at}")).to_ascii_lowercase();
        for (name, value) in headers {
            let line = format!("\r\n{name}: {}\r\n", value.to_ascii_lowercase());
            assert!(answer.contains(&line), "the client gets every header as it came: {answer}");
        }
    }
    gate.stats(scripts.len() as u64);
    let expected: Vec<_> = scripts.iter().map(|(_, _, limits)| limits.clone()).collect();
    let told: Vec<_> = gate.events().iter().map(short).collect();
    assert_eq!(told, expected);
    let bytes = fs::read(gate.folder.join("history.db")).expect("a history");
    assert!(!bytes.windows(8).any(|it| it == b"cAnAry7Q"), "no word of a header is kept");
}

/// The name, the use and the state of each limit.
fn short(limits: &Value) -> Value {
    let one = |it: &Value| json!([it["name"], it["used_pct"], it["state"]]);
    limits.as_array().map(|all| all.iter().map(one).collect()).unwrap_or_default()
}

/// Behaviour 13.26: a refused request says how full the window is, too, and saves nothing.
#[test]
fn a_refusal_reports_the_window() {
    let reset = (now() + 9_000).to_string();
    let script = move |at: usize| {
        let used = if at == 0 { "0.97" } else { "1.0" };
        let headers =
            [(format!("{FIVE}-utilization"), used.to_owned()), (format!("{FIVE}-reset"), reset.clone())];
        (if at == 0 { 200 } else { 429 }, headers.to_vec())
    };
    let gate = Gate::new("refused", upstream(script));
    gate.send("/v1/messages", "s");
    assert!(gate.send("/v1/messages", "s").starts_with("HTTP/1.1 429"));
    let told = gate.stats(2);
    assert_eq!(told["limits"][0]["used_pct"], 100.0, "{}", told["limits"]);
    assert_eq!(told["sessions"][0]["limits"][0]["points"], 3.0, "{}", told["sessions"]);
    assert_eq!(told["periods"]["all"]["failed"], 1);
}

/// Behaviour 13.26: sessions side by side share a window, and nobody claims to know who used it.
#[test]
fn sessions_side_by_side_have_upper_bounds() {
    let reset = (now() + 9_000).to_string();
    let script = move |at: usize| {
        let used = format!("{:.2}", 0.10 + 0.02 * f64::from(u32::try_from(at).unwrap_or_default()));
        (200, vec![(format!("{FIVE}-utilization"), used), (format!("{FIVE}-reset"), reset.clone())])
    };
    let gate = Gate::new("shared", upstream(script));
    for (at, session) in ["alone", "alone", "one", "two", "one", "two"].into_iter().enumerate() {
        gate.send("/v1/messages", session);
        gate.stats(at as u64 + 1);
    }
    let told = gate.stats(6);
    let sessions = told["sessions"].as_array().expect("sessions");
    let mut points: Vec<_> =
        sessions.iter().map(|it| (&it["limits"][0]["points"], &it["limits"][0]["shared"])).collect();
    points.sort_by_key(|(points, _)| points.to_string());
    assert_eq!(
        points,
        [(&json!(2.0), &json!(false)), (&json!(4.0), &json!(true)), (&json!(4.0), &json!(true)),]
    );
    let shown = gate.run(&["stats"]);
    assert!(shown.contains("session (points)") && shown.contains("≤4"), "{shown}");
    assert!(shown.contains("5h window: 20 % used, resets in 2 h 2"), "{shown}");
}

/// Behaviour 13.26: a new window is a new start.
#[test]
fn what_a_reset_hides_is_not_guessed() {
    let began = now();
    let script = move |at: usize| {
        let (used, reset) = [("0.90", 60), ("0.95", 60), ("0.02", 18_000), ("0.05", 18_000)][at];
        let reset = (began + reset).to_string();
        (200, vec![(format!("{FIVE}-utilization"), used.to_owned()), (format!("{FIVE}-reset"), reset)])
    };
    let gate = Gate::new("reset", upstream(script));
    for at in 0..4 {
        gate.send("/v1/messages", "s");
        gate.stats(at + 1);
    }
    let limit = gate.stats(4)["sessions"][0]["limits"][0].clone();
    assert_eq!((&limit["points"], &limit["used_pct"]), (&json!(8.0), &json!(5.0)), "{limit}");
}

/// Behaviour 13.26: the dashboard, the history and the closing line say the same.
#[test]
fn the_dashboard_and_the_closing_line_say_the_same() {
    let reset = (now() + 9_000).to_string();
    let script = move |at: usize| {
        let used = ["0.40", "0.4125", "0.4250"][at];
        (
            200,
            vec![(format!("{FIVE}-utilization"), used.to_owned()), (format!("{FIVE}-reset"), reset.clone())],
        )
    };
    let mut gate = Gate::new("dashboard", upstream(script));
    for at in 0..3 {
        gate.send("/v1/messages", "s");
        gate.stats(at + 1);
    }
    let (told, stats) = (gate.stats(3), gate.dashboard("/stats"));
    assert_eq!((&stats["limits"], &stats["sessions"]), (&told["limits"], &told["sessions"]));
    let session = stats["sessions"][0]["session"].as_str().expect("a session");
    let turns = gate.dashboard(&format!("/_tersely/session/{session}"));
    let turns = turns["turns"].as_array().expect("turns");
    let used: Vec<_> = turns.iter().map(|turn| turn["limits"][0]["used_pct"].clone()).collect();
    assert_eq!(used, [json!(40.0), json!(41.25), json!(42.5)]);
    gate.running.signal("TERM");
    gate.running.code();
    let end: Vec<_> = gate.running.said.try_iter().collect();
    let line = "  5h window: 42.5 % used, up 2.5 points since the start";
    assert!(end.iter().any(|said| said == line), "{end:?}");
}

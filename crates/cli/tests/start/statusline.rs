//! Tests `tersely statusline`: what it says beside the history, and that it never disturbs its client.

use std::fs;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tersely_testing::pace::at_most;

use crate::stage::{request, tersely, turn};

/// An upstream whose responses have the headers of a subscription: each takes 1.25 points of the 5-hour window.
fn metered() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let resets = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() + 9_000;
    thread::spawn(move || {
        let mut used = 4_000;
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            while request(&mut reader).is_some() {
                used += 125;
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
                     anthropic-ratelimit-unified-5h-utilization: 0.{used}\r\n\
                     anthropic-ratelimit-unified-5h-reset: {resets}\r\n\
                     anthropic-ratelimit-unified-7d-utilization: 0.18\r\n\
                     anthropic-ratelimit-unified-7d-reset: {resets}\r\n"
                );
                let _ = reader.get_mut().write_all(format!("{head}\r\n{{}}").as_bytes());
            }
        }
    });
    address
}

/// A folder with a history.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("statusline").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("state/tersely")).expect("a folder");
        fs::write(folder.join("body.json"), turn().0).expect("a file");
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("state/tersely/history.db")
    }

    fn tersely(&self, args: &[&str], env: &[(&str, &str)]) -> std::process::Command {
        let state = self.0.join("state").display().to_string();
        let env = [&[("XDG_STATE_HOME", state.as_str()), ("TERSELY_HISTORY_RECORD", "auto")], env].concat();
        let mut command = tersely(args, &env);
        command.current_dir(&self.0);
        command
    }

    /// Sends three requests of a session through `tersely run`; gives what it says at its end.
    fn work(&self, session: &str) -> String {
        let send = format!(
            "for n in 1 2 3; do curl -s -H 'x-claude-code-session-id: {session}' --data-binary @body.json \
             \"$ANTHROPIC_BASE_URL/v1/messages\"; done"
        );
        let base = format!("http://{}", metered());
        let env = [("ANTHROPIC_BASE_URL", base.as_str()), ("ANTHROPIC_API_KEY", "k")];
        let done = self.tersely(&["run", "sh", "-c", &send], &env).output().expect("it ends");
        assert!(done.status.success(), "{done:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    }

    /// The line for this input, and how long it took.
    fn line(&self, input: &[u8]) -> (String, Duration) {
        let since = Instant::now();
        let mut child = self
            .tersely(&["statusline"], &[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // It may end before it has read everything.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        let done = child.wait_with_output().expect("it ends");
        assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), &b""[..]), "{done:?}");
        (String::from_utf8(done.stdout).expect("UTF-8"), since.elapsed())
    }

    /// The line, once the machine was quick enough for the whole of it.
    fn whole_line(&self, input: &[u8]) -> String {
        let lines = (0..40).map(|_| self.line(input).0);
        lines.max_by_key(String::len).expect("a line").trim_end().to_owned()
    }
}

/// Behaviour 13.27: the line, `stats`, the end of the run and the headers agree.
#[test]
fn the_line_says_what_the_history_says() {
    let place = Place::new("agree");
    let end = place.work("session-1");
    let told = place.tersely(&["stats", "--json"], &[]).output().expect("it ends");
    let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let session = &told["sessions"][0];
    let count = |name: &str| session[name].as_f64().expect("a number");
    let saved = count("tokens_before") - count("tokens_after") - count("tokens_fetched");
    assert!((1_000.0..10_000.0).contains(&saved), "{session}");
    let share = saved * 100.0 / count("tokens_before");
    let limits = &session["limits"];
    let used = limits[0]["used_pct"].as_f64().expect("a number");
    assert!((used - 43.75).abs() < 0.001, "as the last header said: {limits}");
    let percent = "43.8";
    assert_eq!((&limits[0]["name"], &limits[0]["points"]), (&"5h".into(), &2.5.into()), "{limits}");
    assert_eq!((&limits[1]["name"], &limits[1]["points"]), (&"7d".into(), &0.0.into()), "{limits}");
    assert_eq!((&told["limits"][0]["used_pct"], &limits[0]["shared"]), (&used.into(), &false.into()));
    let input = br#"{"session_id":"session-1","context_window":{"remaining_percentage":71}}"#;
    let expected = format!(
        "tersely: {:.2} k saved ({share:.1} %) · context 71 % left · 5h {percent} % (+2.5) · 7d 18 %",
        saved / 1_000.0
    );
    assert_eq!(place.whole_line(input), expected);
    assert!(end.contains(&format!("5h window: {percent} % used, up 2.5 points since the start")), "{end}");
    let shown = place.tersely(&["stats"], &[]).output().expect("it ends");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains(&format!("5h window: {percent} % used, resets in 2 h")), "{shown}");
    assert!(shown.contains("agree, 3 turns") && shown.contains(" 2.5        0"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    // Without a session, the latest is meant; a session that is not recorded has no savings.
    assert!(place.whole_line(b"").starts_with(&expected[..20]));
    let other = place.whole_line(br#"{"session_id":"another"}"#);
    assert_eq!(other, format!("tersely: 5h {percent} % · 7d 18 %"));
}

/// Behaviour 13.27: hostile input, a history that is broken or missing, and a client that
/// never closes its end: exit code 0, a short line, in time.
#[test]
fn nothing_disturbs_the_client() {
    let place = Place::new("disturbed");
    let deep = b"[".repeat(300_000);
    let big = [&b"{\"session_id\":\""[..], &b"x".repeat(5_000_000), b"\"}"].concat();
    let canary = b"{\"session_id\":\"\\u001b]0;cAnAry\\u0007\",\"model\":{\"id\":\"cAnAry\"}}";
    for input in [&b""[..], b"{", &deep, &big, b"\xff\xfe\x00", canary, b"null"] {
        assert_eq!(place.line(input).0, "\n");
    }
    let input = br#"{"session_id":"s","context_window":{"remaining_percentage":71}}"#;
    for history in
        [&b""[..], b"not a database at all, but long enough to be read as a header of one ...", &[0; 4096]]
    {
        fs::write(place.file(), history).expect("a file");
        let line = place.line(input).0;
        assert!(["\n", "tersely: context 71 % left\n"].contains(&line.as_str()), "{line}");
    }
    // This client keeps its end open.
    let mut child = place
        .tersely(&["statusline"], &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let since = Instant::now();
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert!(child.wait().expect("an end").success() && since.elapsed() < at_most(Duration::from_secs(1)));
    assert_eq!(said, "\n");
}

/// Behaviour 13.27: the history may be elsewhere, and settings that cannot be read do no harm.
#[test]
fn settings_say_where_the_history_is() {
    let place = Place::new("settings");
    place.work("session-1");
    fs::rename(place.0.join("state"), place.0.join("elsewhere")).expect("a folder");
    let moved = place.0.join("elsewhere/tersely/history.db");
    let input = br#"{"session_id":"session-1"}"#;
    assert_eq!(place.whole_line(input), "", "there is no history any more");
    let settings = format!("[history]\nfile = \"{}\"\n", moved.display());
    fs::create_dir_all(place.0.join("config/tersely")).expect("a folder");
    fs::write(place.0.join("config/tersely/tersely.toml"), settings).expect("a file");
    let config = place.0.join("config").display().to_string();
    let line = |_| {
        let done = place.tersely(&["statusline"], &[("XDG_CONFIG_HOME", &config)]).output().expect("it ends");
        assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    assert!((0..40).map(line).any(|line| line.contains(" saved (")), "the latest session");
    fs::write(place.0.join("config/tersely/tersely.toml"), "[history\nfile = 7").expect("a file");
    assert_eq!(line(0), "\n");
}

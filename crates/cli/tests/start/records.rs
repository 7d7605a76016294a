//! Tests the commands that read the history, `stats`, `why` and `statusline`, on files that are empty, broken, of another
//! version or full of hostile names, and on terminals of any size.

use std::fs;
use std::io::{BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::thread;

use serde_json::{Value, json};

use crate::stage::{ask, request, start, tersely};

/// The commands that read a history and say so when they cannot.
const READERS: [&[&str]; 5] =
    [&["stats"], &["stats", "--json"], &["stats", "--holdout"], &["why"], &["why", "--json"]];

/// What Claude Code says to a status line.
const INPUT: &[u8] = br#"{"session_id":"s-1","context_window":{"remaining_percentage":71}}"#;

/// A history of one session: four requests, of which the third adds a tool and so breaks the cache.
static RECORDED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = folder("recorded");
    let file = folder.join("history.db");
    let paths = file.display().to_string();
    let env = [("TERSELY_HISTORY_RECORD", "on"), ("TERSELY_HISTORY_FILE", paths.as_str())];
    let upstream = format!("http://{}", upstream());
    let mut served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &upstream], &env);
    let address = served.address();
    for (turns, tools) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
        send(&address, "s-1", &body("claude-opus-4-6", turns, tools));
    }
    served.signal("TERM");
    served.code();
    python(&file, "c.execute('PRAGMA wal_checkpoint(TRUNCATE)')");
    fs::read(&file).expect("a history")
});

/// An upstream that reports usage and the windows of a subscription.
fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let mut asked = 0;
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            while request(&mut reader).is_some() {
                asked += 1;
                let [read, written] = if asked % 2 == 1 { [0, 50_000] } else { [50_000, 1_000] };
                let usage = json!({"input_tokens": 3, "cache_read_input_tokens": read,
                    "cache_creation_input_tokens": written, "output_tokens": 9});
                let body = json!({"type": "message", "content": [], "usage": usage}).to_string();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                     anthropic-ratelimit-unified-5h-utilization: 0.4{asked}\r\n",
                    body.len()
                );
                let _ = reader.get_mut().write_all(format!("{head}\r\n{body}").as_bytes());
            }
        }
    });
    address
}

/// A request after so many turns, with so many tools; its results can be compressed.
fn body(model: &str, turns: usize, tools: usize) -> String {
    let rows: Vec<_> = (0..40).map(|id| json!({"id": id, "state": "open", "owner": "team-a"})).collect();
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for turn in 0..turns {
        let call =
            json!({"type": "tool_use", "id": turn.to_string(), "name": "Bash", "input": {"command": "ls"}});
        let text = format!("{}{turn}", Value::from(rows.clone()));
        let result = json!({"type": "tool_result", "tool_use_id": turn.to_string(), "content": text});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    let tool = |at| json!({"name": format!("mcp__files__{at}"), "input_schema": {"type": "object"}});
    let tools: Vec<_> = (0..tools).map(tool).collect();
    json!({"model": model, "max_tokens": 9, "tools": tools, "messages": messages}).to_string()
}

fn send(address: &str, session: &str, body: &str) {
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\nx-claude-code-session-id: {session}\r\n\
         user-agent: claude-cli/2.0\r\ncontent-length: {}",
        body.len()
    );
    let answer = ask(address, &head, body);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("records").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs statements on a history, in which `c` is the connection.
fn python(file: &Path, statements: &str) {
    let script =
        format!("import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\n{statements}\nc.commit()\nc.close()");
    let done = Command::new("python3").args(["-c", &script]).arg(file).output().expect("python");
    assert!(done.status.success(), "{}", words(&done.stderr));
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A history file of a test, and the commands that read it.
struct Records(PathBuf);

impl Records {
    /// A place for a history, with this file in it.
    fn new(test: &str, file: Option<&[u8]>) -> Self {
        let path = folder(test).join("history.db");
        if let Some(bytes) = file {
            fs::write(&path, bytes).expect("a file");
        }
        Self(path)
    }

    /// The same, with the history that was recorded.
    fn recorded(test: &str) -> Self {
        Self::new(test, Some(&RECORDED))
    }

    fn command(&self, args: &[&str]) -> Command {
        tersely(args, &[("TERSELY_HISTORY_FILE", &self.0.display().to_string())])
    }

    fn run(&self, args: &[&str]) -> Output {
        let done = self.command(args).output().expect("it ends");
        assert!(!words(&done.stderr).contains("panicked"), "{args:?}: {}", words(&done.stderr));
        done
    }

    /// What a command prints, when all is well.
    fn shown(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!((done.status.code(), words(&done.stderr).as_str()), (Some(0), ""), "{args:?}");
        words(&done.stdout)
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.shown(args)).expect("JSON")
    }

    /// A command that cannot do it says why and prints nothing else.
    fn fails(&self, args: &[&str], code: i32, why: &str) {
        let done = self.run(args);
        let said = words(&done.stderr);
        assert_eq!((done.status.code(), words(&done.stdout).as_str()), (Some(code), ""), "{args:?}: {said}");
        assert!(said.contains(why) && said.lines().count() <= 2, "{args:?}: {said}");
    }

    /// The status line: always one line, and always a success. It may be cut short by a slow machine.
    fn line(&self) -> String {
        let line = || {
            let mut command = self.command(&["statusline"]);
            let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("it starts");
            child.stdin.take().expect("a pipe").write_all(INPUT).expect("it reads");
            let done = child.wait_with_output().expect("it ends");
            assert_eq!((done.status.code(), words(&done.stderr).as_str()), (Some(0), ""));
            assert_eq!(words(&done.stdout).lines().count(), 1);
            words(&done.stdout)
        };
        (0..10).map(|_| line()).max_by_key(String::len).expect("a line").trim_end().to_owned()
    }
}

const WITHOUT_HISTORY: &str = "tersely: context 71 % left";

/// Nothing recorded is no error, whether there is no file, an empty one, or one from which all was purged.
#[test]
fn an_empty_history_says_how_to_fill_it() {
    let purged = Records::recorded("purged");
    assert!(purged.shown(&["stats"]).contains("saved"));
    assert_eq!(purged.run(&["purge", "--yes"]).status.code(), Some(0));
    for records in [Records::new("missing", None), Records::new("empty", Some(b"")), purged] {
        records.fails(&["stats"], 1, "nothing is recorded yet");
        for reader in
            [&["why"][..], &["why", "--json"], &["why", "--session", "s-1"], &["stats", "--holdout"]]
        {
            records.fails(reader, 1, "");
        }
        assert_eq!(records.line(), WITHOUT_HISTORY);
    }
}

#[test]
fn a_broken_file_is_said_to_be_and_left_alone() {
    let half = &RECORDED[..RECORDED.len() / 2];
    let mut torn = RECORDED.clone();
    torn[100..].fill(0x5a);
    let text = b"this is no database, and long enough to be read as one ".repeat(100);
    for (name, bytes) in [("half", half), ("torn", &torn), ("text", &text), ("header", &RECORDED[..100])] {
        let records = Records::new(&format!("broken-{name}"), Some(bytes));
        for reader in READERS {
            let done = records.run(reader);
            assert_eq!(
                (done.status.code(), words(&done.stdout).as_str()),
                (Some(2), ""),
                "{name} {reader:?}"
            );
            assert!(words(&done.stderr).contains("history.db"), "{name}: {}", words(&done.stderr));
        }
        assert_eq!(records.line(), WITHOUT_HISTORY, "{name}");
        assert_eq!(fs::read(&records.0).expect("a file").len(), bytes.len(), "{name} is left unchanged");
    }
    let records = Records::new("broken-folder", None);
    fs::create_dir(&records.0).expect("a folder");
    for reader in READERS {
        assert_ne!(records.run(reader).status.code(), Some(0), "{reader:?}");
    }
    assert_eq!(records.line(), WITHOUT_HISTORY);
}

/// One damaged page: what can still be read is shown, or it is said that it cannot be; nothing hangs or panics.
#[test]
fn a_damaged_page_ends_in_an_answer_or_in_an_error() {
    for page in 0..RECORDED.len() / 4096 {
        let mut bytes = RECORDED.clone();
        bytes[page * 4096 + if page == 0 { 200 } else { 0 }..(page + 1) * 4096].fill(0xff);
        let records = Records::new("damaged", Some(&bytes));
        for reader in [&["stats", "--json"][..], &["why"]] {
            let done = records.run(reader);
            let (code, shown) = (done.status.code(), words(&done.stdout));
            assert!(
                code == Some(0) || shown.is_empty() && matches!(code, Some(1 | 2)),
                "page {page}: {done:?}"
            );
        }
    }
}

/// A file that a newer release has written is not touched.
#[test]
fn a_newer_file_needs_a_newer_release() {
    let records = Records::recorded("newer");
    python(&records.0, "c.execute('PRAGMA user_version = 99')");
    for reader in READERS {
        records.fails(reader, 2, "update tersely");
    }
    assert_eq!(records.line(), WITHOUT_HISTORY);
    python(&records.0, "assert c.execute('PRAGMA user_version').fetchone() == (99,)");
}

/// A file of the second release: without limits, session names and cache breaks. It is brought up to date by the first
/// command that may write, and no number gets lost.
#[test]
fn an_older_file_is_read_with_all_that_it_has() {
    let records = Records::recorded("older");
    let before = records.json(&["stats", "--json"]);
    let older = "old = ('requests', 'results', 'days', 'day_groups', 'day_stages', 'trial_sessions', 'trial_calls')\n\
                 tables = c.execute(\"SELECT name FROM sqlite_master WHERE type = 'table'\").fetchall()\n\
                 c.execute('DROP INDEX requests_named')\n\
                 c.execute('ALTER TABLE requests DROP COLUMN named')\n\
                 c.execute('ALTER TABLE requests DROP COLUMN tenant')\n\
                 c.execute('ALTER TABLE requests DROP COLUMN key_name')\n\
                 [c.execute('DROP TABLE ' + name) for name, in tables if name not in old and not name.startswith('sqlite')]\n\
                 c.execute('PRAGMA user_version = 2')";
    python(&records.0, older);
    assert_eq!(records.line(), WITHOUT_HISTORY, "a status line migrates nothing");
    let after = records.json(&["stats", "--json"]);
    assert_eq!(after["periods"], before["periods"]);
    assert_eq!(after["limits"], json!([]));
    let why = records.json(&["why", "--json"]);
    let requests = why["requests"].as_array().expect("requests");
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|it| it["cache_break"].is_null()), "{why}");
    assert!(records.shown(&["why"]).contains("4 requests: no cache breaks."));
    records.fails(&["why", "--session", "s-1"], 1, "no such session");
    assert_eq!(records.line(), WITHOUT_HISTORY, "no session has a name");
}

/// Single requests are kept for some days, so a month of sessions would be a part of it that claims to be the whole.
#[test]
fn a_list_of_sessions_has_no_period() {
    let records = Records::recorded("by-session");
    assert!(records.shown(&["stats", "--by", "session"]).starts_with("session"));
    for period in [["--month", "2026-10"], ["--period", "week"]] {
        let args = [&["stats", "--by", "session"][..], &period].concat();
        records.fails(&args, 2, "--by session cannot be limited to a period");
        let other = [&["stats", "--by", "client"][..], &period].concat();
        assert!(records.shown(&other).starts_with("client"));
    }
}

#[test]
fn a_session_is_found_by_its_id_and_by_the_clients() {
    let records = Records::recorded("session");
    let told = records.json(&["stats", "--json"]);
    let id = told["sessions"][0]["session"].as_str().expect("an id").to_owned();
    let latest = records.json(&["why", "--json"]);
    assert_eq!(latest["requests"].as_array().map(Vec::len), Some(4));
    for session in [id.as_str(), "s-1"] {
        assert_eq!(records.json(&["why", "--json", "--session", session]), latest, "{session}");
        assert!(records.shown(&["why", "--session", session]).starts_with(&format!("session {id} · ")));
    }
    let long = "x".repeat(100_000);
    for session in ["", "s-2", "../s-1", "0000000000000000", "' OR 1=1 --", "\u{1b}[31m", "S-1", &long] {
        records.fails(&["why", "--session", session], 1, "no such session is recorded");
    }
    assert_eq!(
        records.run(&["stats", "--period", "year"]).status.code(),
        Some(2),
        "a period that there is not"
    );
}

/// Today is part of the week, which is part of all; the page and the JSON say the same.
#[test]
fn periods_contain_each_other() {
    let records = Records::recorded("periods");
    let periods = records.json(&["stats", "--json"])["periods"].clone();
    let saved = |period: &str| periods[period]["tokens_saved"].as_i64().expect("a number");
    assert!(
        saved("today") > 0 && saved("today") <= saved("week") && saved("week") <= saved("all"),
        "{periods}"
    );
    assert!(saved("month") <= saved("all"));
    for period in ["today", "week", "month", "all"] {
        assert!(records.shown(&["stats", "--period", period]).contains("claude-opus-4-6"), "{period}");
    }
    python(&records.0, "c.execute(\"UPDATE days SET day = '2001-01-01'\")");
    let old = records.json(&["stats", "--json"])["periods"].clone();
    assert_eq!(old["all"]["tokens_saved"], periods["all"]["tokens_saved"]);
    for period in ["today", "week", "month"] {
        assert_eq!(old[period]["requests"], 0, "{period}");
        assert_eq!(
            records.run(&["stats", "--period", period]).status.code(),
            Some(0),
            "{period} is empty, not all"
        );
    }
}

/// Names come from clients and folders: none of them moves the cursor, breaks a line or widens a page.
#[test]
fn hostile_names_do_no_harm_to_a_terminal() {
    let long = "x".repeat(250);
    let folders =
        ["\u{1b}]0;owned\u{7}", "a\nb\rc", "日本 é", "%s%n{}", "\u{9b}31m", "'; DROP TABLE days; --", &long];
    let (upstream, send) = (
        format!("http://{}", upstream()),
        "curl -s -A \"$AGENT\" --data-binary @body.json \
        -H 'x-claude-code-session-id: %s\u{9b}31m' \"$ANTHROPIC_BASE_URL/v1/messages\"",
    );
    for (at, name) in folders.into_iter().enumerate() {
        let records = Records::new(&format!("hostile-{at}"), None);
        let folder = records.0.with_file_name(name);
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("body.json"), body("m\u{1b}[31m", 1, 1)).expect("a file");
        let mut run = records.command(&["run", "sh", "-c", send]);
        run.env("ANTHROPIC_BASE_URL", &upstream).env("TERSELY_HISTORY_RECORD", "on").env("AGENT", "\u{9b}2J");
        let done = run.current_dir(&folder).output().expect("it ends");
        assert!(words(&done.stderr).contains("1 request: "), "{name:?}: {}", words(&done.stderr));
        for reader in [&["stats"][..], &["why"], &["stats", "--json"], &["why", "--json"]] {
            let shown = records.shown(reader);
            assert!(!shown.contains(|char: char| char.is_control() && char != '\n'), "{name:?}: {shown:?}");
            if reader.contains(&"--json") {
                assert!(serde_json::from_str::<Value>(&shown).is_ok(), "{name:?} {reader:?}");
            } else if reader == ["stats"] {
                assert!(shown.lines().all(|line| line.chars().count() <= 80), "{name:?}: {shown}");
            }
        }
        for reader in ["stats", "why"] {
            let (code, shown) = terminal(&records, (80, 60), &[reader]);
            let is_bad = |char: char| char.is_control() && !matches!(char, '\r' | '\n');
            assert!(code == Some(0) && !plain(&shown).contains(is_bad), "{name:?} on a terminal: {shown:?}");
        }
        assert!(!records.line().contains(char::is_control), "{name:?}");
    }
}

/// A terminal of this size.
fn terminal(records: &Records, (width, height): (usize, usize), args: &[&str]) -> (Option<i32>, String) {
    const PTY: &str = "import fcntl, os, pty, struct, sys, termios\n\
        pid, fd = pty.fork()\n\
        if pid == 0:\n    \
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', int(sys.argv[2]), int(sys.argv[1]), 0, 0))\n    \
            os.execvp(sys.argv[3], sys.argv[3:])\n\
        out = b''\n\
        while True:\n    \
            try:\n        data = os.read(fd, 65536)\n    \
            except OSError:\n        break\n    \
            if not data:\n        break\n    \
            out += data\n\
        sys.stdout.buffer.write(out)\n\
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";
    let inner = records.command(args);
    let mut outer = Command::new("python3");
    outer
        .args(["-c", PTY, &width.to_string(), &height.to_string()])
        .arg(inner.get_program())
        .args(inner.get_args());
    outer
        .env_clear()
        .envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("TERM", "xterm");
    let done = outer.output().expect("python");
    (done.status.code(), words(&done.stdout))
}

/// A text without its colours.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[test]
fn a_page_fits_its_terminal() {
    let records = Records::recorded("terminal");
    for size in [(0, 0), (1, 1), (10, 3), (20, 5)] {
        for reader in [&["stats"][..], &["why"], &["stats", "--json"]] {
            let (code, shown) = terminal(&records, size, reader);
            assert!(code == Some(0) && !shown.contains("panicked"), "{size:?}: {shown}");
        }
    }
    for size @ (width, height) in [(40, 24), (60, 24), (80, 24), (81, 50), (200, 60)] {
        let (code, shown) = terminal(&records, size, &["stats"]);
        let page = plain(&shown);
        assert_eq!(code, Some(0));
        assert!(page.contains("saved"), "{page}");
        if width >= 80 {
            assert!(page.lines().all(|line| line.trim_end().chars().count() <= width), "{size:?}: {page}");
            assert!(page.lines().count() <= height, "{size:?}: {} lines", page.lines().count());
        }
    }
}

//! Tests what `run` and `serve` record, `stats` shows and `purge` deletes.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::stage::{post, scripted, start, tersely, turn, upstream};

/// A folder with an agent that sends one request, and a place for a history.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("history").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("shop")).expect("a folder");
        fs::write(folder.join("shop/body.json"), turn().0).expect("a file");
        Self(folder)
    }

    fn state(&self) -> String {
        self.0.join("state").display().to_string()
    }

    fn file(&self) -> PathBuf {
        self.0.join("state/tersely/history.db")
    }

    /// Runs a command in the project's folder.
    fn tersely(&self, args: &[&str], env: &[(&str, &str)]) -> std::process::Command {
        let state = self.state();
        let env = [&[("XDG_STATE_HOME", state.as_str()), ("TERSELY_HISTORY_RECORD", "auto")], env].concat();
        let mut command = tersely(args, &env);
        command.current_dir(self.0.join("shop"));
        command
    }

    /// Runs an agent that sends one request through `tersely run`.
    fn agent(&self, upstream: &str, env: &[(&str, &str)]) -> std::process::Command {
        let send = "curl -s --data-binary @body.json \"$ANTHROPIC_BASE_URL/v1/messages\"";
        let base = format!("http://{upstream}");
        let env = [&[("ANTHROPIC_BASE_URL", base.as_str())], env].concat();
        self.tersely(&["run", "sh", "-c", send], &env)
    }

    fn stats(&self) -> Value {
        let done = self.tersely(&["stats", "--json"], &[]).output().expect("it ends");
        serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", words(&done.stderr)))
    }
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn check(done: &Output, code: i32, said: &str) {
    let text = format!("{}{}", words(&done.stdout), words(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "{text}");
    assert!(text.contains(said), "{text}");
}

#[test]
fn what_was_run_is_shown_until_it_is_forgotten() {
    let (address, _seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("shown");
    let none = place.tersely(&["stats"], &[]).output().expect("it ends");
    check(&none, 1, "tersely run claude");

    let children: Vec<_> =
        (0..2).map(|_| place.agent(&address.to_string(), &[]).spawn().expect("it starts")).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let today = place.stats()["periods"]["today"].clone();
    assert_eq!(
        (&today["requests"], &today["failed"]),
        (&2.into(), &0.into()),
        "two at a time are both recorded"
    );
    assert!(today["tokens_saved"].as_i64().is_some_and(|saved| saved > 0), "{today}");
    assert_eq!(today["projects"][0]["name"], "shop");
    assert_eq!(today["models"][0]["name"], "m");

    let shown = words(&place.tersely(&["stats"], &[]).output().expect("it ends").stdout);
    assert!(shown.contains(" % of all tokens saved") && shown.contains("shop"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colours in a pipe");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");

    let asked = place.tersely(&["purge"], &[]).output().expect("it ends");
    check(&asked, 1, "nothing was deleted");
    check(&place.tersely(&["purge", "--yes"], &[]).output().expect("it ends"), 0, "2 requests deleted");
    check(&place.tersely(&["stats"], &[]).output().expect("it ends"), 1, "nothing is recorded yet");
}

#[test]
fn a_history_holds_no_word_of_a_request() {
    const CANARY: &str = "cAnAry7Q";
    let (address, _seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("canary");
    let body = turn()
        .0
        .replace("gh issue list", CANARY)
        .replace("item-", CANARY)
        .replace("\"name\":\"Bash\"", &format!("\"name\":\"Bash {CANARY}\""));
    fs::write(place.0.join("shop/body.json"), body).expect("a file");
    let env = [("ANTHROPIC_API_KEY", CANARY)];
    assert!(place.agent(&address.to_string(), &env).output().expect("it ends").status.success());
    assert_eq!(place.stats()["periods"]["all"]["requests"], 1);
    for end in ["", "-wal"] {
        let bytes = fs::read(format!("{}{end}", place.file().display())).unwrap_or_default();
        assert!(
            !bytes.windows(CANARY.len()).any(|part| part.eq_ignore_ascii_case(CANARY.as_bytes())),
            "history.db{end}"
        );
    }
}

#[test]
fn nothing_is_recorded_where_someone_said_no() {
    let (address, _seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("off");
    let off = [("TERSELY_HISTORY_RECORD", "off")];
    assert!(place.agent(&address.to_string(), &off).output().expect("it ends").status.success());
    assert!(!Path::new(&place.state()).exists());
    let nameless = [("TERSELY_HISTORY_PROJECT", "false")];
    assert!(place.agent(&address.to_string(), &nameless).output().expect("it ends").status.success());
    assert_eq!(place.stats()["periods"]["all"]["projects"][0]["name"], "");
}

#[test]
fn a_history_that_cannot_be_written_is_said_to_be_and_the_request_goes_through() {
    let (address, seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("broken");
    let file = place.0.join("broken.db");
    fs::write(&file, "this is no database, and long enough to be read as one ".repeat(100)).expect("a file");
    let path = file.display().to_string();
    let env = [("TERSELY_HISTORY_FILE", path.as_str())];
    let done = place.agent(&address.to_string(), &env).output().expect("it ends");
    check(&done, 0, "missing from the history: 1 request: ");
    assert!(seen.try_recv().is_ok(), "the request went through");
    check(&place.tersely(&["stats"], &env).output().expect("it ends"), 2, "to start a new history");
    check(&place.tersely(&["purge", "--yes"], &env).output().expect("it ends"), 0, "deleted");
}

/// Behaviour 13.11: a gateway on a loopback address serves one person, as a run does.
#[test]
fn a_server_records_its_history_unless_others_reach_it_or_someone_said_no() {
    let (address, _seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("serve");
    let (url, state) = (format!("http://{address}"), place.state());
    for (record, listen) in [("off", "127.0.0.1:0"), ("auto", "0.0.0.0:0"), ("auto", "127.0.0.1:0")] {
        assert!(!place.file().exists(), "{record} {listen}");
        let env = [("XDG_STATE_HOME", state.as_str()), ("TERSELY_HISTORY_RECORD", record)];
        let mut served = start(&["serve", "--listen", listen, "--upstream", &url], &env);
        post(&served.address(), "/v1/messages", &turn().0);
        served.signal("INT");
        served.code();
    }
    assert_eq!(place.stats()["periods"]["all"]["requests"], 1);
}

/// Behaviour 13.12: a file that another process has locked is reported.
#[test]
fn a_history_that_is_locked_is_said_to_be() {
    let (address, seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("locked");
    assert!(place.agent(&address.to_string(), &[]).output().expect("it ends").status.success());
    let hold = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
                c.execute('BEGIN EXCLUSIVE')\nprint('held', flush=True)\nsys.stdin.read()";
    let mut holder = Command::new("python3")
        .args(["-c", hold, &place.file().display().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python");
    let mut said = [0; 4];
    holder.stdout.as_mut().expect("a pipe").read_exact(&mut said).expect("it is held");
    let done = place.agent(&address.to_string(), &[]).output().expect("it ends");
    drop(holder.stdin.take());
    holder.wait().expect("it ends");
    check(&done, 0, "missing from the history: 1 request: ");
    assert_eq!(seen.try_iter().count(), 2, "the requests went through");
    assert_eq!(place.stats()["periods"]["all"]["requests"], 1);
}

/// Behaviour 13.12: a file size limit loses the record, and nothing else.
#[test]
fn a_limit_on_files_does_not_end_a_run() {
    let (address, seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("limit");
    let run = place.agent(&address.to_string(), &[]);
    let args: Vec<_> = run.get_args().map(|arg| format!("'{}'", arg.display())).collect();
    let script = format!("ulimit -f 8; exec '{}' {}", env!("CARGO_BIN_EXE_tersely"), args.join(" "));
    let mut limited = Command::new("sh");
    limited.args(["-c", &script]).current_dir(place.0.join("shop")).env_clear();
    limited.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let done = limited.output().expect("it ends");
    check(&done, 0, "missing from the history: 1 request: ");
    assert!(seen.try_recv().is_ok(), "the request went through");
}

/// Behaviour 13.13: requests that call no model are not counted, neither in the summary nor in the history.
#[test]
fn the_closing_line_and_the_history_count_the_same() {
    let (address, _seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("same");
    let send = "curl -sI \"$ANTHROPIC_BASE_URL/\"; curl -s \"$ANTHROPIC_BASE_URL/v1/models\"; \
                curl -s --data-binary @body.json \"$ANTHROPIC_BASE_URL/v1/messages\"";
    let base = format!("http://{address}");
    let env = [("ANTHROPIC_BASE_URL", base.as_str())];
    let done = place.tersely(&["run", "sh", "-c", send], &env).output().expect("it ends");
    check(&done, 0, "tersely: 1 request: ");
    assert_eq!(place.stats()["periods"]["all"]["requests"], 1);
    let shown = words(&place.tersely(&["stats"], &[]).output().expect("it ends").stdout);
    assert!(
        !shown.contains("(unknown)") && shown.contains("no $: no response reported token usage"),
        "{shown}"
    );
    assert!(shown.contains("tersely dashboard shows more\n"), "{shown}");
}

/// Behaviour 24.10: a run within a run compresses and counts once.
#[test]
fn a_run_inside_of_a_run_counts_once() {
    let (address, seen) = upstream(std::time::Duration::ZERO);
    let place = Place::new("nested");
    let send = "curl -s --data-binary @body.json \"$ANTHROPIC_BASE_URL/v1/messages\"";
    let base = format!("http://{address}");
    let args = ["run", "sh", "-c", &format!("'{}' run sh -c '{send}'", env!("CARGO_BIN_EXE_tersely"))];
    let done = place.tersely(&args, &[("ANTHROPIC_BASE_URL", &base)]).output().expect("it ends");
    check(&done, 0, "tersely: 1 request: ");
    assert_eq!(words(&done.stderr).matches("tersely: ").count(), 1, "{}", words(&done.stderr));
    assert_eq!(seen.try_iter().count(), 1);
    assert_eq!(place.stats()["periods"]["all"]["requests"], 1);
}

/// Behaviour 13.29: requests above a step of the model's price are told with what they cost more; below it, nothing is.
#[test]
fn a_step_of_the_price_is_told() {
    let place = Place::new("steps");
    let body = turn().0.replace("\"m\"", "\"gemini-2.5-pro\"");
    fs::write(place.0.join("shop/body.json"), body).expect("a file");
    for (input, requests) in [(90_000, 0), (250_000, 1), (300_000, 2)] {
        let usage = format!(r#""usage":{{"input_tokens":{input},"output_tokens":10}}"#);
        let answer = format!(r#"{{"id":"m","type":"message","model":"gemini-2.5-pro",{usage}}}"#);
        let (upstream, _seen) = scripted(move |_| (200, answer.clone()));
        let done =
            place.agent(&upstream.to_string(), &[("TERSELY_CLEAR", "cold")]).output().expect("it ends");
        check(&done, 0, "gemini-2.5-pro");
        let told = place.stats();
        assert_eq!(told["price_steps"]["requests"], requests, "{input}");
    }
    let shown = words(&place.tersely(&["stats"], &[]).output().expect("it ends").stdout);
    assert!(shown.contains("2 requests above a price threshold (200 k tokens) cost about "), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let wrong =
        place.tersely(&["stats"], &[("TERSELY_PRICES_FILE", "nowhere.toml")]).output().expect("it ends");
    check(&wrong, 2, "cannot read prices from nowhere.toml");
}

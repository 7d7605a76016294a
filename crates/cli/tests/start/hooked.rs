//! Tests `tersely hook` and `tersely show` as clients and models run them.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tersely_testing::pace::at_most;

/// A home of its own, short enough for a socket.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tersely-hooked-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("project")).expect("a folder");
        Self(folder)
    }

    /// What the program prints, and how it ends.
    fn run(&self, args: &[&str], variables: &[(&str, &str)], input: &[u8]) -> (Option<i32>, String) {
        self.run_read_after(args, variables, input, Duration::ZERO)
    }

    /// The same, for a client that reads late.
    fn run_read_after(
        &self,
        args: &[&str],
        variables: &[(&str, &str)],
        input: &[u8],
        pause: Duration,
    ) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersely"));
        command.args(args).env_clear().env("HOME", &self.0).envs(variables.iter().copied());
        command
            .current_dir(self.0.join("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        std::thread::sleep(pause);
        let ended = child.wait_with_output().expect("it ends");
        (ended.status.code(), String::from_utf8(ended.stdout).expect("text"))
    }

    /// The answer of a hook. On a busy machine its time may be over before it has one, so it is asked again.
    fn answer(&self, args: &[&str], input: &[u8]) -> Option<Value> {
        (0..20).find_map(|_| self.hook(args, input))
    }

    fn hook(&self, args: &[&str], input: &[u8]) -> Option<Value> {
        let (code, said) = self.run(&[&["hook"], args].concat(), &[], input);
        assert_eq!(code, Some(0));
        (!said.is_empty()).then(|| {
            let answer: Value = serde_json::from_str(&said).expect("JSON");
            answer["hookSpecificOutput"]["updatedToolOutput"].clone()
        })
    }

    fn stats(&self) -> Value {
        serde_json::from_str(&self.run(&["stats", "--json"], &[], b"").1).expect("JSON")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Without its socket, the resident process ends by itself.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn rows() -> String {
    let rows: Vec<Value> = (0..40).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    serde_json::to_string_pretty(&rows).expect("rows")
}

fn event(session: &str, stdout: &str) -> Vec<u8> {
    json!({"hook_event_name": "PostToolUse", "session_id": session, "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": {"command": "run"},
        "tool_response": {"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false}})
    .to_string()
    .into_bytes()
}

/// Half an answer is no JSON, so an answer that does not fit into the pipe waits for a client that reads late.
#[test]
fn an_answer_is_printed_to_its_end() {
    let place = Place::new("late");
    let rows: Vec<Value> = (0..2400_u64)
        .map(|n| json!({"id": n, "digest": format!("{:032x}", u128::from(n).pow(5) * 0x9e37_79b9_7f4a_7c15)}))
        .collect();
    let told = event("late", &serde_json::to_string_pretty(&rows).expect("rows"));
    let late = Duration::from_millis(1300);
    let answers = (0..10).map(|_| place.run_read_after(&["hook"], &[], &told, late).1);
    let answer = answers.into_iter().find(|said| !said.is_empty()).expect("one of ten in time");
    assert!(answer.len() > 1 << 16, "{} bytes fit into a pipe", answer.len());
    serde_json::from_str::<Value>(&answer).expect("the whole answer");
}

/// Behaviour 25.1, 25.3: the first call and the ones that the resident process answers say the same, and each is
/// counted once.
#[test]
fn a_hook_answers_and_counts_what_it_saved() {
    let place = Place::new("answers");
    let first = place.answer(&[], &event("one", &rows())).expect("an answer");
    let until = Instant::now() + Duration::from_secs(30);
    let sockets = || fs::read_dir(place.0.join(".local/state/tersely")).into_iter().flatten().flatten();
    let is_there = || sockets().any(|it| it.path().extension().is_some_and(|end| end == "sock"));
    while cfg!(unix) && !is_there() {
        assert!(Instant::now() < until, "no resident process");
        std::thread::sleep(Duration::from_millis(20));
    }
    for _ in 0..3 {
        assert_eq!(place.answer(&[], &event("one", &rows())).as_ref(), Some(&first));
    }
    assert!(first["stdout"].as_str().expect("a text").len() < rows().len() / 2);
    let until = Instant::now() + Duration::from_secs(30);
    while place.stats()["periods"]["today"]["requests"].as_u64().is_none_or(|count| count < 4) {
        assert!(Instant::now() < until, "{}", place.stats());
        std::thread::sleep(Duration::from_millis(50));
    }
    let stats = place.stats();
    assert_eq!(stats["sessions"].as_array().map(Vec::len), Some(1), "{stats}");
    let line = || place.run(&["statusline"], &[], br#"{"session_id":"one"}"#).1;
    let line = (0..40).map(|_| line()).max_by_key(String::len).expect("a line");
    assert!(line.contains("saved"), "{line}");
}

/// Behaviour 25.2: under a gateway a hook says nothing, and `tersely mcp` leaves results to the hook.
#[test]
fn one_door_is_enough() {
    let place = Place::new("one");
    let told = event("one", &rows());
    assert_eq!(place.run(&["hook"], &[("TERSELY_RUN", "1")], &told), (Some(0), String::new()));
    let (code, said) = place.run(&["mcp", "--", "echo", "the server itself"], &[("TERSELY_HOOK", "1")], b"");
    assert_eq!((code, &*said), (Some(0), "the server itself\n"));
}

/// Behaviour 25.2: whatever is told, a hook succeeds and says nothing that is no answer.
#[test]
fn nothing_that_is_told_disturbs_a_client() {
    let place = Place::new("hostile");
    for told in
        [&b""[..], b"garbage", b"{}", &[0xff; 64], &event("s", "short"), "[".repeat(100_000).as_bytes()]
    {
        assert_eq!(place.hook(&[], told), None);
    }
    fs::write(place.0.join("project/tersely.toml"), "mode = \"no such mode\"").expect("a file");
    let (code, _) = place.run(&["hook"], &[], &event("s", &rows()));
    assert_eq!(code, Some(0));
    // A file in the way of our folder costs the history and the resident process, not the answer.
    fs::remove_file(place.0.join("project/tersely.toml")).expect("it is there");
    let _ = fs::remove_dir_all(place.0.join(".local"));
    fs::write(place.0.join(".local"), "").expect("a file");
    assert!(place.answer(&[], &event("s", &rows())).is_some());
}

/// Behaviour 25.5: what is cut is printed by the command that the text names, and forgotten by `tersely purge`.
#[test]
fn what_was_cut_is_shown() {
    let place = Place::new("shown");
    let line = |n: usize| {
        format!(
            "2026-01-01T00:{:02}:{:02} worker {} took job {}\n",
            n / 60 % 60,
            n % 60,
            n % 7,
            n * 7919 % 1009
        )
    };
    let log = (0..4_000).map(line).collect::<Vec<_>>().concat();
    let now = place.answer(&["--loss", "detail"], &event("s", &log)).expect("an answer");
    let text = now["stdout"].as_str().expect("a text");
    let id =
        text.rsplit("`tersely show ").nth(1).and_then(|it| it.split('`').next()).expect("the text names it");
    assert_eq!(place.run(&["show", id], &[], b""), (Some(0), log.clone()));
    let lines: String = log.split_inclusive('\n').skip(9).take(2).collect();
    assert_eq!(place.run(&["show", id, "10-11"], &[], b""), (Some(0), lines));
    assert_eq!(place.run(&["show", &format!("<<<SHADOW:{id}>>>")], &[], b"").1, log);
    assert_eq!(place.run(&["show", "../history.db"], &[], b""), (Some(1), String::new()));
    assert_eq!(place.run(&["purge", "--yes"], &[], b"").0, Some(0));
    assert_eq!(place.run(&["show", id], &[], b""), (Some(1), String::new()));
}

/// Behaviour 25.1: modes and rules apply as for a gateway, also those of the folder that the client works in.
#[test]
fn settings_of_the_folder_apply() {
    let place = Place::new("settings");
    let elsewhere = place.0.join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    let there = elsewhere.display().to_string();
    let said = |variables: &[(&str, &str)]| {
        let said = || place.run(&["hook"], variables, &event("s", &rows())).1;
        // On a busy machine there may be no time for an answer.
        (0..5).map(|_| said()).find(|said| !said.is_empty()).unwrap_or_default()
    };
    let usual = said(&[]);
    assert!(!usual.is_empty());
    for (settings, is_answered) in [
        // A file that was merely found cannot switch it off.
        ("mode = \"disabled\"", true),
        ("mode = \"observe\"", true),
        ("skip_tools = [\"Bash\"]", false),
        ("skip_tools = [\"Grep\"]", true),
        ("min_bytes = 100000", false),
    ] {
        fs::write(elsewhere.join("tersely.toml"), settings).expect("a file");
        let said = said(&[("CLAUDE_PROJECT_DIR", &there)]);
        assert_eq!(!said.is_empty(), is_answered, "{settings}: {said}");
    }
    assert_eq!(said(&[]), usual, "the settings of another folder do not apply here");
    assert_eq!(said(&[("TERSELY_MODE", "observe")]), "", "the user's own variable does");
    assert_eq!(said(&[("CLAUDE_PROJECT_DIR", "/no/such/folder")]), usual);
}

/// Behaviour 25.1: the events of our plugin for `OpenCode`.
#[test]
fn a_plugin_is_answered_in_the_shape_of_its_client() {
    let place = Place::new("plugin");
    let event = |tool: &str, response: &Value| {
        json!({"hook_event_name": "tool.execute.after", "session_id": "s", "tool_name": tool, "tool_use_id": "t",
            "tool_input": {"command": "run"}, "tool_response": response})
        .to_string()
        .into_bytes()
    };
    let now = place.answer(&[], &event("bash", &json!({"output": rows()}))).expect("an answer");
    let text = now["output"].as_str().expect("a text").to_owned();
    assert_eq!(now, json!({"output": text}));
    let blocks =
        |text: &str| json!({"content": [{"type": "text", "text": text}, {"type": "image", "data": "x"}]});
    let now = place.answer(&[], &event("items_list", &blocks(&rows()))).expect("an answer");
    assert_eq!(now, blocks(&text));
    assert_eq!(place.hook(&[], &event("bash", &json!({"title": "no output"}))), None);
}

/// Behaviour 25.2: a resident process that hangs costs less than a second, and the answer is the same.
#[test]
fn a_resident_process_that_hangs_is_not_waited_for() {
    let place = Place::new("hangs");
    let first = place.answer(&[], &event("s", &rows())).expect("an answer");
    let folder = place.0.join(".local/state/tersely");
    let until = Instant::now() + Duration::from_secs(30);
    let socket = loop {
        let mut files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|it| it.path());
        if let Some(socket) = files.find(|path| path.extension().is_some_and(|end| end == "sock")) {
            break socket;
        }
        assert!(Instant::now() < until, "no resident process");
        std::thread::sleep(Duration::from_millis(20));
    };
    fs::remove_file(&socket).expect("it is there");
    let silent = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let begun = Instant::now();
    let (code, said) = place.run(&["hook"], &[], &event("s", &rows()));
    assert_eq!(code, Some(0));
    assert!(begun.elapsed() < at_most(Duration::from_secs(1)), "{:?}", begun.elapsed());
    // On a busy machine there may be no time left for an answer of its own.
    if !said.is_empty() {
        let answer: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(answer["hookSpecificOutput"]["updatedToolOutput"], first);
    }
    drop(silent);
    assert_eq!(
        place.answer(&[], &event("s", &rows())).as_ref(),
        Some(&first),
        "one that has gone is replaced"
    );
}

/// Behaviour 25.1: with `--loss none`, what is printed decodes to what the tool printed, byte for byte.
#[test]
fn exact_forms_decode_to_the_byte() {
    let place = Place::new("exact");
    for text in [rows(), format!("{}\n\n", rows()), rows().replace("fruit", "fr\u{fc}it \u{1f34e}")] {
        let now = place.answer(&["--loss", "none"], &event("s", &text)).expect("an answer");
        let (code, decoded) = place.run(&["decode"], &[], now["stdout"].as_str().expect("a text").as_bytes());
        assert_eq!((code, decoded.trim_end()), (Some(0), text.trim_end()));
    }
}

/// Behaviour 25.3: agents make several calls at once.
#[test]
fn hooks_at_the_same_time_are_each_answered() {
    let place = Place::new("many");
    let alone = place.answer(&[], &event("s", &rows())).expect("an answer");
    std::thread::scope(|scope| {
        for session in 0..8 {
            let (place, alone) = (&place, &alone);
            scope.spawn(move || {
                for _ in 0..3 {
                    let said = place.answer(&[], &event(&format!("session {session}"), &rows()));
                    assert_eq!(said.as_ref(), Some(alone));
                }
            });
        }
    });
}

/// Behaviour 25.5: what is asked wrongly is said.
#[test]
fn what_cannot_be_shown_is_said() {
    let place = Place::new("unknown");
    for (args, code) in [
        (&["show"][..], 2),
        (&["show", "shadow_0123456789abcdef"], 1),
        (&["show", "shadow_1", "1-2", "more"], 2),
        (&["hook", "--loss", "everything"], 2),
        (&["hook", "--no-such-flag"], 2),
    ] {
        assert_eq!(place.run(args, &[], b""), (Some(code), String::new()), "{args:?}");
    }
}

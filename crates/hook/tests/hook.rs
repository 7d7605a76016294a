//! The answers to hooks: what replaces a result, what is kept of it, and what happens if something goes wrong.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

use serde_json::{Value, json};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, KeptOriginal};
use tersely_hook::{HookAnswerer, KeptTexts};

/// A folder of its own, with a path that is short enough for a socket.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("tersely-hook-{}-{number}", process::id()));
        fs::create_dir(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Rows that take fewer tokens in another form.
fn rows(count: usize) -> String {
    let rows: Vec<Value> = (0..count).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    serde_json::to_string_pretty(&rows).expect("rows")
}

/// A log that is cut where detail may be lost.
fn log() -> String {
    let line = |n: usize| {
        format!(
            "2026-01-01T00:{:02}:{:02} worker {} took job {}\n",
            n / 60 % 60,
            n % 60,
            n % 7,
            n * 7919 % 1009
        )
    };
    (0..4_000).map(line).collect::<Vec<_>>().concat()
}

fn bash(stdout: &str) -> Value {
    json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false})
}

fn told(tool: &str, response: &Value) -> Vec<u8> {
    let input = json!({"command": "run"});
    json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": tool, "tool_use_id": "t",
        "tool_input": input, "tool_response": response})
    .to_string()
    .into_bytes()
}

fn answerer(most: Loss, kept: Option<&Path>) -> HookAnswerer {
    HookAnswerer::new(Engine::default(), most, kept.map(|folder| KeptTexts::at(folder.to_owned())), None)
}

/// The result that the client takes in place of the tool's; `None` if there is no answer.
fn updated(answerer: &HookAnswerer, told: &[u8]) -> Option<Value> {
    let bytes = answerer.answer(told).bytes;
    if bytes.is_empty() {
        return None;
    }
    assert_eq!(bytes.last(), Some(&b'\n'));
    let answer: Value = serde_json::from_slice(&bytes).expect("an answer is JSON");
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    Some(answer["hookSpecificOutput"]["updatedToolOutput"].clone())
}

#[test]
fn a_result_is_replaced_in_its_own_shape() {
    let answerer = answerer(Loss::Form, None);
    let now = updated(&answerer, &told("Bash", &bash(&rows(40)))).expect("an answer");
    let text = now["stdout"].as_str().expect("a text").to_owned();
    assert!(text.len() < rows(40).len() / 2, "{text}");
    assert_eq!(now, bash(&text), "nothing else changes");
    let blocks = json!([{"type": "text", "text": rows(40)}, {"type": "image", "source": "x"}]);
    let now = updated(&answerer, &told("mcp__a__b", &blocks)).expect("an answer");
    assert_eq!(now[0]["text"], text);
    assert_eq!(now[1], blocks[1]);
}

#[test]
fn what_is_unknown_or_cannot_be_shorter_gets_no_answer() {
    let answerer = answerer(Loss::Form, None);
    let cases = [
        Vec::new(),
        b"[".to_vec(),
        b"{\"hook_event_name\":\"PostToolUse\"}".to_vec(),
        vec![0xff; 100],
        told("Bash", &bash("a few words")),
        told("Bash", &json!(rows(40))),
        told("Read", &json!({"type": "text", "file": {"content": rows(40)}})),
        told("Bash", &json!({"stdout": rows(40), "isImage": true})),
        "[".repeat(1 << 20).into_bytes(),
    ];
    for told in cases {
        assert_eq!(
            updated(&answerer, &told),
            None,
            "{}",
            String::from_utf8_lossy(&told[..told.len().min(80)])
        );
    }
    let plan = Plan { mode: Mode::Observe, ..Plan::default() };
    let observing = Engine::new(EngineSettings { plan, ..EngineSettings::default() });
    let observing = HookAnswerer::new(observing, Loss::Form, None, None);
    assert_eq!(updated(&observing, &told("Bash", &bash(&rows(40)))), None);
}

#[test]
fn what_is_cut_is_kept_to_the_byte_and_the_text_says_where() {
    let folder = TestFolder::new();
    let place = folder.0.join("kept");
    let now =
        updated(&answerer(Loss::Detail, Some(&place)), &told("Bash", &bash(&log()))).expect("an answer");
    let text = now["stdout"].as_str().expect("a text");
    let way = text.lines().last().expect("a line");
    let id = way
        .split("`tersely show ")
        .nth(1)
        .and_then(|rest| rest.split('`').next())
        .expect("the last line names it");
    assert!(text.contains(&format!("<<<SHADOW:{id}>>>")), "{text}");
    let kept = KeptTexts::at(place.clone());
    assert_eq!(kept.find(id).expect("it can be read"), Some(log()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&place), mode(&place.join(id))), (0o700, 0o600));
    }
    assert_eq!(kept.clear().expect("it can be removed"), 1);
    assert_eq!(kept.find(id).expect("it can be read"), None);
}

#[test]
fn nothing_is_cut_that_cannot_be_kept_or_holds_a_secret() {
    let folder = TestFolder::new();
    let file = folder.0.join("file");
    fs::write(&file, "").expect("a file");
    let exact = updated(&answerer(Loss::Form, None), &told("Bash", &bash(&log())));
    let cut = updated(&answerer(Loss::Detail, Some(&folder.0)), &told("Bash", &bash(&log())));
    assert_ne!(cut, exact);
    // A place that is no folder is like a full disk.
    assert_eq!(updated(&answerer(Loss::Detail, Some(&file)), &told("Bash", &bash(&log()))), exact);
    assert_eq!(updated(&answerer(Loss::Detail, None), &told("Bash", &bash(&log()))), exact);
    let secret = format!("{}aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY\n", log());
    let exact = updated(&answerer(Loss::Form, None), &told("Bash", &bash(&secret)));
    let place = folder.0.join("kept");
    assert_eq!(updated(&answerer(Loss::Detail, Some(&place)), &told("Bash", &bash(&secret))), exact);
    assert!(!place.exists(), "no secret is written to disk");
}

/// Behaviour 25.6.
#[test]
fn an_output_in_a_file_comes_whole_if_it_costs_no_more_than_its_beginning() {
    let folder = TestFolder::new();
    let file = folder.0.join("out.txt");
    let answer = |text: &str, bytes: usize| {
        fs::write(&file, text).expect("a file");
        let mut response = bash(&text[..text.len().min(30_000)]);
        response["persistedOutputPath"] = json!(file);
        response["persistedOutputSize"] = json!(bytes);
        updated(&answerer(Loss::Form, None), &told("Bash", &response))
    };
    let again = "the same line again\n".repeat(5_000);
    let now = answer(&again, again.len()).expect("an answer");
    let text = now["stdout"].as_str().expect("a text");
    assert!(text.len() < 2_000, "{now}");
    assert_eq!(tersely_core::restore(text).as_deref(), Some(&*again));
    assert_eq!(now.get("persistedOutputPath"), None);
    assert_eq!(answer(&again, again.len() + 1), None, "the file is not what the client wrote");
    assert_eq!(answer(&log(), log().len()), None, "it would cost more");
    fs::remove_file(&file).expect("it is there");
    let mut response = bash("x");
    response["persistedOutputPath"] = json!(folder.0);
    response["persistedOutputSize"] = json!(4096);
    assert_eq!(updated(&answerer(Loss::Form, None), &told("Bash", &response)), None, "a folder is no file");
}

#[test]
fn ids_lead_to_no_other_folder() {
    let folder = TestFolder::new();
    fs::write(folder.0.join("secret"), "s").expect("a file");
    let kept = KeptTexts::at(folder.0.join("kept"));
    for id in ["../secret", "/etc/passwd", "", ".", "a/b", "a\0b", "shadow_é", &"a".repeat(65)] {
        assert_eq!(kept.find(id).expect("no error"), None, "{id}");
        let text = KeptOriginal { id: id.to_owned(), text: "x".to_owned(), stage: "search" };
        assert!(kept.keep(&[text]).is_err(), "{id}");
    }
    let text =
        |text: &str| KeptOriginal { id: "shadow_1".to_owned(), text: text.to_owned(), stage: "search" };
    fs::write(folder.0.join("kept/shadow_1"), "ha").expect("half a text");
    kept.keep(&[text("half")]).expect("it is written again");
    assert_eq!(kept.find("shadow_1").expect("it can be read").as_deref(), Some("half"));
    fs::write(folder.0.join("kept/shadow_2.77.new"), "half a text").expect("a write that was interrupted");
    kept.prune();
    assert_eq!(kept.find("shadow_1").expect("it can be read").as_deref(), Some("half"), "it is new");
    assert_eq!(kept.clear().expect("it can be removed"), 2, "half a text is forgotten, too");
}

#[cfg(unix)]
mod resident {
    use std::io::{self, Read as _, Write as _};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixListener;
    use std::thread;
    use std::time::{Duration, Instant};

    use tersely_hook::{ResidentPlace, ask, serve};

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_mins(1)
    }

    /// Starts a resident process, and waits until it answers.
    fn start(place: &ResidentPlace) {
        let here = place.clone();
        thread::spawn(move || serve(&here, answerer(Loss::Form, None)).expect("it serves"));
        let until = soon();
        while ask(place, b"", soon()).is_err() {
            assert!(Instant::now() < until, "it never answered");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn it_answers_many_at_once_as_a_process_alone_does() {
        let folder = TestFolder::new();
        let place = ResidentPlace::new(&folder.0.join("run"), 7).expect("a short path");
        assert!(ask(&place, b"x", soon()).is_err(), "nobody is there");
        start(&place);
        let asks: Vec<_> = (1..13)
            .map(|n| {
                let place = place.clone();
                thread::spawn(move || {
                    let told = told("Bash", &bash(&rows(n * 10)));
                    let said = ask(&place, &told, soon()).expect("an answer");
                    assert_eq!(said, answerer(Loss::Form, None).answer(&told).bytes, "{n}");
                })
            })
            .collect();
        for ask in asks {
            ask.join().expect("as expected");
        }
        assert_eq!(ask(&place, b"garbage", soon()).expect("an answer"), b"");
        serve(&place, answerer(Loss::Form, None)).expect("a second one leaves at once");
        let socket = folder.0.join("run/hook-0000000000000007.sock");
        assert_eq!(fs::metadata(&socket).expect("it is there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_socket_that_was_left_behind_is_replaced() {
        let folder = TestFolder::new();
        let place = ResidentPlace::new(&folder.0, 8).expect("a short path");
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o700)).expect("it is ours");
        drop(UnixListener::bind(folder.0.join("hook-0000000000000008.sock")).expect("a socket"));
        start(&place);
    }

    #[test]
    fn one_that_hangs_or_dies_is_left_in_time() {
        let folder = TestFolder::new();
        let place = ResidentPlace::new(&folder.0, 9).expect("a short path");
        let listener = UnixListener::bind(folder.0.join("hook-0000000000000009.sock")).expect("a socket");
        let since = Instant::now();
        let late = ask(&place, b"x", since + Duration::from_millis(200)).expect_err("it says nothing");
        assert!([io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&late.kind()), "{late}");
        assert!(since.elapsed() < Duration::from_secs(10));
        drop(listener.accept());
        let half = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a call");
            stream.read_to_end(&mut Vec::new()).expect("what is told");
            stream.write_all(b"{\"hookSpecific").expect("half an answer");
        });
        let fault = ask(&place, b"x", soon()).expect_err("half an answer is none");
        assert_eq!(fault.kind(), io::ErrorKind::UnexpectedEof);
        half.join().expect("it ends");
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        let folder = TestFolder::new();
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o777)).expect("it is ours");
        let place = ResidentPlace::new(&folder.0, 10).expect("a short path");
        let _listener = UnixListener::bind(folder.0.join("hook-000000000000000a.sock")).expect("a socket");
        assert_eq!(
            ask(&place, b"x", soon()).expect_err("it is not asked").kind(),
            io::ErrorKind::PermissionDenied
        );
        assert!(serve(&place, answerer(Loss::Form, None)).is_err());
        assert_eq!(ResidentPlace::new(Path::new(&"/long".repeat(30)), 1), None);
    }
}

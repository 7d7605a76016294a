//! Tests the hooks of clients: set by `tersely init --hook`, and undone.

use serde_json::{Value, json};

use crate::set_up::home::Home;

const FILE: &str = ".claude/settings.json";
const PLUGIN: &str = ".config/opencode/plugins/tersely.js";

/// Realistic settings: empty, on one line, with hooks of the user's own, with comments, CRLF and tabs.
const TEXTS: [&str; 8] = [
    "",
    "{}",
    "{\n}\n",
    "{\"model\":\"opus\",\"env\":{\"A\":\"b\"}}",
    "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Edit\",\n        \"hooks\": []\n      }\n    ]\n  }\n}\n",
    "{\r\n\t\"hooks\": { \"PreToolUse\": [] }\r\n}",
    "{ // mine\n  \"hooks\": { \"PostToolUse\": [ /* none */ ], },\n}",
    "\u{feff}{\"a\": {\"hooks\": 1}}\n",
];

fn home(test: &str) -> Home {
    Home::new(&format!("hook-{test}"), &["claude", "codex", "opencode", "tersely"])
}

fn item() -> Value {
    let command = format!("{} hook", env!("CARGO_BIN_EXE_tersely"));
    json!({"matcher": "Bash|mcp__.*", "hooks": [{"type": "command", "command": command, "timeout": 1}]})
}

/// Behaviour 25.4: every byte and every mode is restored, and created files are removed.
#[test]
fn hooks_are_set_and_undone_to_the_byte() {
    for (at, text) in TEXTS.iter().enumerate() {
        let home = home(&format!("bytes-{at}"));
        home.put(FILE, text, 0o600);
        let before = home.all();
        home.well(&["init", "--hook", "--yes"]);
        let written = home.read(FILE);
        assert!(written.contains("tersely hook") && written.contains("\"TERSELY_HOOK\": \"1\""), "{written}");
        assert!(home.read(PLUGIN).contains("tool.execute.after"));
        let after = home.all();
        home.well(&["init", "--hook", "--yes"]);
        assert_eq!(home.all(), after, "twice is once");
        home.well(&["uninstall", "--yes"]);
        assert_eq!(home.all(), before, "{text:?}");
    }
}

/// Behaviour 25.4: a client that rewrites its file does not make our hook somebody else's, and the user's own hooks
/// stay.
#[test]
fn a_file_that_was_rewritten_loses_only_our_hook() {
    let home = home("rewritten");
    home.put(FILE, "{\"hooks\":{\"PostToolUse\":[{\"matcher\":\"Edit\",\"hooks\":[]}]}}", 0o644);
    home.well(&["init", "--hook", "--yes"]);
    let mut value: Value = serde_json::from_str(&home.read(FILE)).expect("JSON");
    assert_eq!(value["hooks"]["PostToolUse"][0], item());
    value["theme"] = "dark".into();
    home.put(FILE, format!("{value:#}\n"), 0o644);
    home.well(&["uninstall", "--yes"]);
    let left: Value = serde_json::from_str(&home.read(FILE)).expect("JSON");
    assert_eq!(left["hooks"], json!({"PostToolUse": [{"matcher": "Edit", "hooks": []}]}));
    assert_eq!((&left["theme"], left["env"]["TERSELY_HOOK"].is_null()), (&json!("dark"), true));
}

/// Behaviour 25.4: what somebody changed since is kept, and said.
#[test]
fn what_somebody_changed_stays() {
    let home = home("changed");
    home.well(&["init", "--hook", "--yes"]);
    home.put(FILE, home.read(FILE).replace("\"timeout\": 1", "\"timeout\": 9"), 0o644);
    home.put(PLUGIN, home.read(PLUGIN) + "// mine\n", 0o644);
    let ran = home.doctor();
    assert!(ran.out.contains("the hook for claude is no longer in"), "{ran:?}");
    let ran = home.well(&["uninstall", "--yes"]);
    assert!(ran.out.contains("Tersely's entry in hooks.PostToolUse is gone or has changed"), "{ran:?}");
    assert!(ran.out.contains("the file has changed since, so it is kept"), "{ran:?}");
    assert!(home.read(FILE).contains("\"timeout\": 9") && home.read(PLUGIN).ends_with("// mine\n"));
}

/// Behaviour 25.4: never two doors for one result.
#[test]
fn one_way_excludes_the_others() {
    let home = home("one");
    home.put(".bashrc", "export A=1\n", 0o644);
    home.well(&["init", "--yes"]);
    let ran = home.run(&["init", "--hook", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.said.contains("agents already use Tersely, through aliases"), "{ran:?}");
    home.well(&["uninstall", "--yes"]);
    let ran = home.well(&["init", "--hook", "--yes"]);
    assert!(
        ran.said.contains("codex: its hooks cannot replace a result; start it with: tersely run codex"),
        "{ran:?}"
    );
    let ran = home.run(&["init", "--yes"]);
    assert!(ran.said.contains("agents already use Tersely, through hooks"), "{ran:?}");
    let ran = home.doctor();
    assert!(ran.out.contains("hook for claude in"), "{ran:?}");
}

/// Behaviour 25.4: files that cannot be read are left alone.
#[test]
fn what_cannot_be_read_is_left_alone() {
    for text in ["{\"hooks\": ", "{\"hooks\": 7}", "{\"hooks\": {\"PostToolUse\": {}}}"] {
        let home = Home::new(&format!("hook-broken-{}", text.len()), &["claude", "tersely"]);
        home.put(FILE, text, 0o644);
        let ran = home.run(&["init", "--hook", "--yes"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.said.contains("claude: no hook, because of"), "{ran:?}");
        assert_eq!(home.read(FILE), text);
    }
    let home = home("theirs");
    home.put(PLUGIN, "mine", 0o644);
    let ran = home.well(&["init", "--hook", "--yes"]);
    assert!(ran.said.contains("opencode: left unchanged, because"), "{ran:?}");
    assert_eq!(home.read(PLUGIN), "mine");
}

/// Answers the questions of `tersely init` on a terminal.
const TERMINAL: &str = r#"
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["tersely", "init"])
said = b""
answers = [answer.encode() + b"\n" for answer in sys.argv[2:]]
questions = [b"Which one? [1] ", b"Write this? [y/N] "]
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece: break
    said += piece
    if answers and questions[0] in said.replace(b"\r", b""):
        questions.pop(0)
        os.write(terminal, answers.pop(0))
        said += b"|"
sys.stdout.buffer.write(said.replace(b"\r", b""))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

/// What `tersely init` says to these answers on a terminal, and how it ends.
fn on_terminal(home: &Home, answers: &[&str]) -> (Option<i32>, String) {
    let mut command = std::process::Command::new("python3");
    command.args(["-c", TERMINAL, env!("CARGO_BIN_EXE_tersely")]).args(answers).env_clear();
    command.env("HOME", home.path("")).env("PATH", format!("{}:/usr/bin:/bin", home.path("bin").display()));
    let ended = command.env("SHELL", "/bin/bash").env("TERM", "dumb").output().expect("python3 runs");
    (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Behaviour 25.4: on a terminal, `init` says what each way can do, and asks which one.
#[test]
fn on_a_terminal_the_user_chooses_the_way() {
    let home = home("chosen");
    home.put(".bashrc", "export A=1\n", 0o644);
    let before = home.all();
    let (code, said) = on_terminal(&home, &["2", "n"]);
    assert_eq!(code, Some(1), "{said}");
    for words in [
        "1 run             2 hook            3 service",
        "usage meters    hidden            kept",
        "nothing was written",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said.contains("PostToolUse") && !said.contains("alias claude"), "{said}");
    let (code, said) = on_terminal(&home, &["9"]);
    assert_eq!((code, said.contains("unknown choice \"9\"")), (Some(2), true), "{said}");
    assert_eq!(home.all(), before);
    let (code, said) = on_terminal(&home, &["", "y"]);
    assert_eq!((code, said.contains("alias claude=")), (Some(0), true), "{said}");
    home.well(&["uninstall", "--yes"]);
    let (code, said) = on_terminal(&home, &["hook", "y"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(home.read(FILE).contains("tersely hook") && home.read(".bashrc") == "export A=1\n");
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.all(), before);
}

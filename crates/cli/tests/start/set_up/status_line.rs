//! Tests Claude Code's status line: set by `tersely init --statusline`, and undone.

use serde_json::{Value, json};

use crate::set_up::home::Home;

const FILE: &str = ".claude/settings.json";

/// Realistic settings: missing, empty, on one line, with comments, CRLF and tabs.
const TEXTS: [&str; 8] = [
    "",
    "{}",
    "{\n}\n",
    "{\"model\":\"opus\"}",
    "{\n  \"model\": \"opus\",\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n",
    "{\r\n\t\"model\": \"opus\"\r\n}",
    "{ // mine\n  \"permissions\": { \"allow\": [\"Bash\"], },\n}",
    "\u{feff}{\"a\": {\"statusLine\": 1}}\n",
];

fn home(test: &str) -> Home {
    let home = Home::new(&format!("line-{test}"), &["claude", "codex", "tersely"]);
    home.put(".bashrc", "export A=1\n", 0o644);
    home
}

fn is_set(home: &Home) -> bool {
    home.read(FILE).contains(r#""statusLine": { "type": "command", "command": "tersely statusline" }"#)
}

/// Behaviour 24.12: every byte and every mode is restored, and a created file is removed.
#[test]
fn a_status_line_is_set_and_undone_to_the_byte() {
    for (at, text) in TEXTS.iter().enumerate() {
        for mode in [0o644, 0o600] {
            let home = home(&format!("bytes-{at}-{mode:o}"));
            home.put(FILE, text, mode);
            let before = home.all();
            home.well(&["init", "--statusline", "--yes"]);
            assert!(is_set(&home), "{}", home.read(FILE));
            let after = home.all();
            home.well(&["init", "--statusline", "--yes"]);
            assert_eq!(home.all(), after, "twice is once");
            home.well(&["uninstall", "--yes"]);
            assert_eq!(home.all(), before, "{text:?} {mode:o}");
        }
    }
    let home = home("made");
    let before = home.all();
    home.well(&["init", "--statusline", "--yes"]);
    let value: Value = serde_json::from_str(&home.read(FILE)).expect("JSON");
    assert_eq!(value, json!({"statusLine": {"type": "command", "command": "tersely statusline"}}));
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.all(), before);
}

/// Behaviour 24.12: it is offered, and not written unasked.
#[test]
fn without_a_word_there_is_no_status_line() {
    let home = home("offered");
    home.put(FILE, "{}", 0o644);
    let ran = home.well(&["init", "--yes"]);
    assert!(
        ran.said.contains("claude: to show savings in Claude Code's status line, add --statusline"),
        "{ran:?}"
    );
    assert_eq!(home.read(FILE), "{}");
    let ran = home.well(&["init", "--statusline", "--dry-run"]);
    assert!(ran.out.contains("statusline\""), "{ran:?}");
    assert_eq!(home.read(FILE), "{}");
    // Aliases that are there already do not stand in its way.
    home.well(&["init", "--statusline", "--yes"]);
    assert!(is_set(&home));
    let ran = home.well(&["init", "--yes"]);
    assert!(is_set(&home) && !ran.said.contains("add --statusline"), "{ran:?}");
}

/// Behaviour 24.12: a status line of the user's own stays, and the note says how to show both.
#[test]
fn a_status_line_that_somebody_has_stays() {
    for theirs in [r#"{"statusLine":{"type":"command","command":"~/line.sh"}}"#, r#"{"statusLine":null}"#] {
        let home = home(&format!("theirs-{}", theirs.len()));
        home.put(FILE, theirs, 0o644);
        let before = home.all();
        let ran = home.well(&["init", "--statusline", "--yes"]);
        assert!(ran.said.contains("has a status line, which is kept; to show both"), "{ran:?}");
        assert!(ran.said.contains(r#"printf '%s' "$input" | tersely statusline"#), "{ran:?}");
        home.well(&["uninstall", "--yes"]);
        assert_eq!(home.all(), before);
    }
    let home = home("broken");
    home.put(FILE, "{\"model\": ", 0o644);
    let ran = home.well(&["init", "--statusline", "--yes"]);
    assert!(ran.said.contains("claude: no status line, because of"), "{ran:?}");
    assert_eq!(home.read(FILE), "{\"model\": ");
}

/// Behaviour 24.12: a client that rewrites its file does not make ours somebody else's; what somebody else wrote since
/// is.
#[test]
fn a_file_that_was_rewritten_loses_only_our_line() {
    let home = home("rewritten");
    home.put(FILE, "{\"model\":\"opus\"}", 0o644);
    home.well(&["init", "--statusline", "--yes"]);
    let mut value: Value = serde_json::from_str(&home.read(FILE)).expect("JSON");
    value["theme"] = "dark".into();
    home.put(FILE, format!("{value:#}\n"), 0o644);
    home.well(&["uninstall", "--yes"]);
    let left: Value = serde_json::from_str(&home.read(FILE)).expect("JSON");
    assert_eq!(left, json!({"model": "opus", "theme": "dark"}));
    home.well(&["init", "--statusline", "--yes"]);
    home.put(FILE, home.read(FILE).replace("tersely statusline", "mine.sh"), 0o644);
    let ran = home.well(&["uninstall", "--yes"]);
    assert!(ran.out.contains("statusLine has another value now, which is kept"), "{ran:?}");
    assert!(home.read(FILE).contains("mine.sh"));
}

/// Behaviour 24.12: no Claude Code, no status line.
#[test]
fn without_claude_code_nothing_is_offered() {
    let home = Home::new("line-none", &["codex", "tersely"]);
    home.put(".bashrc", "", 0o644);
    let ran = home.well(&["init", "--statusline", "--yes"]);
    assert!(!ran.said.contains("statusline") && !home.path(FILE).exists(), "{ran:?}");
}

/// Behaviour 24.12: the settings are where Claude Code looks for them, also through a link.
#[test]
fn the_settings_may_be_elsewhere() {
    let mut home = home("elsewhere");
    let folder = home.path("claude's home").display().to_string();
    home.var("CLAUDE_CONFIG_DIR", &folder);
    home.put("dotfiles/claude.json", "{\n  \"model\": \"opus\"\n}\n", 0o600);
    home.put("claude's home/x", "", 0o600);
    let link = home.path("claude's home/settings.json");
    std::os::unix::fs::symlink(home.path("dotfiles/claude.json"), link).expect("a link");
    let before = home.all();
    home.well(&["init", "--statusline", "--yes"]);
    assert!(home.read("dotfiles/claude.json").contains("tersely statusline"));
    assert!(!home.path(FILE).exists());
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.all(), before, "the link is a link, and its file as it was");
}

/// Behaviour 24.12: a program that is not on PATH is named in full.
#[test]
fn the_command_is_one_that_a_shell_finds() {
    let home = Home::new("line-path", &["claude"]);
    home.put(".bashrc", "", 0o644);
    home.put(FILE, "{}", 0o644);
    home.well(&["init", "--statusline", "--yes"]);
    let value: Value = serde_json::from_str(&home.read(FILE)).expect("JSON");
    let command = value["statusLine"]["command"].as_str().expect("a command");
    assert!(command.ends_with("tersely statusline") && command.len() > 30, "{command}");
    let ran =
        std::process::Command::new("sh").args(["-c", command]).stdin(std::process::Stdio::null()).output();
    assert!(ran.expect("a shell").status.success());
}

/// Behaviour 24.12: a file that may not be written is left alone, and the aliases are written all the same.
#[test]
fn a_file_that_is_read_only_stays() {
    let home = home("read-only");
    home.put(FILE, "{}", 0o444);
    let ran = home.well(&["init", "--statusline", "--yes"]);
    assert!(ran.said.contains("read-only"), "{ran:?}");
    assert_eq!(home.read(FILE), "{}");
    assert!(home.read(".bashrc").contains("alias claude="));
    let ran = home.well(&["init", "--statusline", "--yes", "--json"]);
    assert!(ran.json()["notes"].to_string().contains("read-only"), "{ran:?}");
}

//! Tests what `tersely uninstall` restores.

use std::fs;

use crate::set_up::home::{Home, RECORD};

/// Realistic files: with and without a final newline, with CRLF, empty, odd.
const TEXTS: [&str; 12] = [
    "",
    "\n",
    "export A=1",
    "export A=1\n",
    "export A=1\r\nexport B=2\r\n",
    "export A=1\r\nexport B=2",
    "\n\n\n",
    "if true; then\n  :\nfi \t",
    "# >>> conda >>>\n:\n# <<< conda <<<\n",
    "\u{feff}# é 漢\u{1f600}\n",
    "alias c='claude'\n# alias claude=x\n",
    "echo '# >>> tersely >>>'\n",
];

/// Behaviour 24.6: every byte and every mode is restored.
#[test]
fn every_byte_comes_back() {
    for (at, text) in TEXTS.iter().enumerate() {
        for mode in [0o644, 0o600, 0o755] {
            let home = Home::new(&format!("bytes-{at}-{mode:o}"), &["claude", "opencode"]);
            let other = TEXTS[(at + 5) % TEXTS.len()];
            home.put(".bashrc", text, mode);
            home.put(".zshrc", other, mode);
            home.put(".config/fish/config.fish", format!("{other}{text}"), mode);
            let before = home.all();
            home.well(&["init", "--yes"]);
            assert_ne!(home.all(), before);
            let ran = home.well(&["uninstall", "--yes"]);
            assert_eq!(ran.out.matches("removed").count(), 3, "{ran:?}");
            assert_eq!(home.all(), before, "{text:?} {mode:o}");
        }
    }
}

/// Behaviour 24.6: created files are removed.
#[test]
fn files_that_were_made_go() {
    let mut home = Home::new("made", &["claude"]);
    home.var("SHELL", "/bin/fish");
    let before = home.all();
    home.well(&["init", "--yes"]);
    assert!(home.path(".config/fish/config.fish").exists());
    let ran = home.well(&["uninstall", "--dry-run"]);
    assert!(ran.out.starts_with("remove "), "{ran:?}");
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.all(), before);
    let ran = home.well(&["uninstall"]);
    assert!(ran.said.contains("nothing to undo"), "{ran:?}");
}

/// Behaviour 24.6: later additions stay, each on its own line.
#[test]
fn what_was_written_since_stays() {
    for text in TEXTS {
        let home = Home::new("since", &["claude"]);
        home.put(".bashrc", text, 0o644);
        home.well(&["init", "--yes"]);
        let with = home.read(".bashrc");
        home.put(".bashrc", format!("first=1\n{with}last=1\n"), 0o644);
        home.well(&["uninstall", "--yes"]);
        let after = home.read(".bashrc");
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        assert_eq!(after, format!("first=1\n{text}{gap}last=1\n"), "{text:?}");
    }
    let home = Home::new("since-inside", &["claude", "codex"]);
    home.put(".bashrc", "a\n", 0o644);
    home.well(&["init", "--yes"]);
    let changed = home.read(".bashrc").replace("  alias codex", "  # alias codex");
    home.put(".bashrc", changed, 0o644);
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.read(".bashrc"), "a\n");
}

/// Behaviour 24.6: what is already gone is reported, and dropped from the receipt.
#[test]
fn what_is_gone_is_forgotten() {
    let home = Home::new("gone", &["claude"]);
    home.put(".bashrc", "a\n", 0o644);
    home.put(".zshrc", "b\n", 0o644);
    home.well(&["init", "--yes"]);
    fs::remove_file(home.path(".bashrc")).expect("a file");
    home.put(".zshrc", "c\n", 0o644);
    let ran = home.well(&["uninstall", "--yes"]);
    assert_eq!(ran.out.matches("gone  ").count(), 2, "{ran:?}");
    assert_eq!((home.read(".zshrc").as_str(), home.path(RECORD).exists()), ("c\n", false));
}

/// Behaviour 24.6: what cannot be undone is reported, and stays in the receipt until it can be.
#[test]
fn what_cannot_be_undone_is_named_and_not_forgotten() {
    let home = Home::new("stuck", &["claude"]);
    home.put(".bashrc", "a\n", 0o644);
    home.put(".zshrc", "b\n", 0o644);
    let before = home.all();
    home.well(&["init", "--yes"]);
    let with = home.read(".bashrc");
    home.put(".bashrc", with.replace("# <<< tersely <<<\n", ""), 0o644);
    let ran = home.run(&["uninstall", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("left") && ran.out.contains("do not match"), "{ran:?}");
    assert_eq!(home.read(".zshrc"), "b\n");
    home.put(".bashrc", &with, 0o444);
    let ran = home.run(&["uninstall", "--yes", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.json()["parts"][0]["state"], "left", "{ran:?}");
    home.put(".bashrc", &with, 0o644);
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.all(), before);
}

/// Behaviour 24.6: wrapped MCP servers are unwrapped too.
#[test]
fn servers_start_without_us_again() {
    let home = Home::new("servers", &["claude"]);
    home.put(".bashrc", "a", 0o644);
    let servers =
        r#"{"mcpServers":{"files":{"command":"npx","args":["-y","server"]},"memo":{"command":"memo"}}}"#;
    home.put(".claude.json", servers, 0o600);
    let before = home.all();
    home.well(&["mcp", "install", "--client", "claude", "--all", "--yes"]);
    let ran = home.well(&["uninstall", "--dry-run"]);
    assert!(ran.out.contains("claude: Tersely in front of 2 servers"), "{ran:?}");
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.all(), before);
    home.well(&["init", "--yes"]);
    home.well(&["mcp", "install", "--client", "claude", "--all", "--yes"]);
    let ran = home.well(&["uninstall", "--yes", "--json"]);
    assert_eq!(ran.json()["parts"].as_array().map(Vec::len), Some(2), "{ran:?}");
    assert_eq!(ran.json()["undone"], true);
    assert_eq!(home.all(), before);
}

/// Behaviour 24.7: a file that is not our receipt is not used as one, and stays.
#[test]
fn a_damaged_record_changes_nothing() {
    let home = Home::new("damaged", &["claude"]);
    home.put(".bashrc", "a\n", 0o644);
    home.well(&["init", "--yes"]);
    let kept = home.read(RECORD);
    let damages = ["", "{", "[]", r#"{"written": [{}]}"#, r#"{"written": [{"kind": "later"}]}"#];
    for damage in damages.into_iter().chain([kept.replace("\"block\"", "\"later\"").as_str()]) {
        home.put(RECORD, damage, 0o600);
        let before = home.all();
        for command in ["init", "uninstall"] {
            let ran = home.run(&[command, "--yes"]);
            assert_eq!(ran.code, Some(2), "{damage:?} {ran:?}");
            assert!(ran.said.contains("setup.json: not a record written by tersely"), "{ran:?}");
            assert!(ran.said.contains("move it elsewhere"), "{ran:?}");
        }
        let said = home.doctor().out;
        assert!(said.contains("not a record written by tersely"), "{said}");
        assert_eq!(home.all(), before);
    }
    home.put(RECORD, kept, 0o600);
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.read(".bashrc"), "a\n");
}

/// Behaviour 24.7: the receipt is readable only by the user, and lists what was written.
#[test]
fn the_record_is_private() {
    let home = Home::new("record", &["claude"]);
    home.put(".bashrc", "a\n", 0o644);
    home.well(&["init", "--yes"]);
    let (text, mode) = &home.all()[&home.path(RECORD)];
    assert_eq!(*mode, 0o600);
    assert!(String::from_utf8_lossy(text).contains(".bashrc"));
    let ran = home.doctor();
    assert!(ran.out.contains("aliases in ") && ran.out.contains(".bashrc"), "{ran:?}");
}

/// Behaviour 24.6: a line that somebody inserted between ours stays.
#[test]
fn a_line_between_ours_stays() {
    let home = Home::new("between", &["claude"]);
    home.put(".bashrc", "export A=1\n", 0o644);
    home.well(&["init", "--yes"]);
    let text = home.read(".bashrc").replace("\nfi\n", "\nfi\nexport MINE=1\n");
    home.put(".bashrc", &text, 0o644);
    home.program("opencode", "exit 0");
    home.well(&["init", "--yes"]);
    assert!(home.read(".bashrc").contains("export MINE=1\n"), "{}", home.read(".bashrc"));
    let text = home.read(".bashrc").replace("\nfi\n", "\nfi\nexport ALSO=1\n");
    home.put(".bashrc", &text, 0o644);
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.read(".bashrc"), "export A=1\nexport ALSO=1\nexport MINE=1\n");
}

/// Behaviour 24.7: concurrent runs take turns, so that everything written is recorded.
#[test]
fn two_at_a_time_lose_no_record() {
    for round in 0..4 {
        let home = Home::new(&format!("turns-{round}"), &["claude"]);
        for name in [".bashrc", ".zshrc", ".config/fish/config.fish"] {
            home.put(name, "# mine\n", 0o644);
        }
        let before = home.all();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| home.well(&["init", "--yes"]));
            }
        });
        home.well(&["uninstall", "--yes"]);
        assert_eq!(home.all(), before, "{round}");
    }
}

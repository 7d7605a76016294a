//! Tests aliases in shell startup files.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::set_up::home::{Home, RECORD};

const FILES: [(&str, &str); 3] =
    [("bash", ".bashrc"), ("zsh", ".zshrc"), ("fish", ".config/fish/config.fish")];

/// Behaviour 24.1: a dry run shows the changes and writes nothing.
#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let home = Home::new("dry-run", &["claude", "codex"]);
    home.put(".bashrc", "export A=1\n", 0o644);
    let before = home.all();
    let ran = home.well(&["init", "--dry-run"]);
    assert!(ran.said.contains("found: claude, codex"), "{ran:?}");
    assert!(ran.out.contains(" export A=1\n+# >>> tersely >>>"), "{ran:?}");
    assert!(ran.out.contains("run claude'\n"), "{ran:?}");
    let ran = home.well(&["init", "--dry-run", "--json"]);
    assert_eq!(ran.json()["clients"], serde_json::json!(["claude", "codex"]));
    assert_eq!(ran.json()["written"], false);
    assert_eq!(home.all(), before);
}

/// Behaviour 24.1: without a terminal there is no consent.
#[test]
fn without_a_terminal_nothing_is_written_unasked() {
    let home = Home::new("unasked", &["claude"]);
    home.put(".bashrc", "", 0o644);
    let before = home.all();
    for args in [&["init"][..], &["init", "--json"]] {
        let ran = home.run(args);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.said.contains("hint: add --yes to write these changes, or --dry-run"), "{ran:?}");
        assert_eq!(home.all(), before);
    }
    home.well(&["init", "--yes"]);
    let after = home.all();
    let ran = home.run(&["uninstall"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.said.contains("hint: add --yes"), "{ran:?}");
    assert_eq!(home.all(), after);
}

/// Behaviour 24.1: only agents on PATH are found.
#[test]
fn no_agent_is_a_no_with_a_way_out() {
    let home = Home::new("no-agent", &[]);
    home.put("bin/claude", "not a program", 0o644);
    home.put(".bashrc", "", 0o644);
    let ran = home.run(&["init", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.said.contains("no agent found on PATH: claude, codex"), "{ran:?}");
    assert!(ran.said.contains("tersely run -- CMD"), "{ran:?}");
}

/// Behaviour 24.2: an agent that `tersely run` would refuse to start gets no alias.
#[test]
fn no_alias_stops_an_agent() {
    let home = Home::new("refused", &["amp", "claude", "copilot"]);
    home.put(".bashrc", "", 0o644);
    let ran = home.well(&["init", "--yes"]);
    assert!(
        ran.said.contains("amp: left unchanged, because amp reaches its models through its own service"),
        "{ran:?}"
    );
    assert!(ran.said.contains("copilot: left unchanged, because"), "{ran:?}");
    let lines = home.read(".bashrc");
    assert!(lines.contains("alias claude="), "{lines}");
    assert!(!lines.contains("alias amp=") && !lines.contains("alias copilot="), "{lines}");
    let home = Home::new("refused-alone", &["amp"]);
    home.put(".bashrc", "", 0o644);
    let ran = home.run(&["init", "--yes"]);
    assert_eq!((ran.code, home.read(".bashrc").as_str()), (Some(1), ""), "{ran:?}");
}

/// Behaviour 24.2: existing files, and that of the user's own shell.
#[test]
fn every_shell_that_is_used_gets_the_lines() {
    for (own, file) in FILES {
        let mut home = Home::new(&format!("own-{own}"), &["claude"]);
        home.var("SHELL", &format!("/usr/bin/{own}"));
        home.well(&["init", "--yes"]);
        assert!(home.read(file).starts_with("# >>> tersely >>>\n"), "{own}");
        let others = FILES.iter().filter(|(name, _)| *name != own);
        others.for_each(|(_, other)| assert!(!home.path(other).exists(), "{own} {other}"));
    }
    let mut home = Home::new("own-other", &["claude"]);
    home.var("SHELL", "/usr/bin/nu");
    let ran = home.run(&["init", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.said.contains("found no bash, zsh or fish configuration file") && ran.said.contains("run claude"),
        "{ran:?}"
    );
    for (_, file) in FILES {
        home.put(file, "", 0o644);
    }
    home.well(&["init", "--yes"]);
    for (_, file) in FILES {
        assert!(home.read(file).contains("alias claude="), "{file}");
    }
}

/// Behaviour 24.2: installed shells accept the lines, and start the agent directly once Tersely is gone.
#[test]
fn shells_understand_what_is_written() {
    let home = Home::new("shells", &["claude"]);
    for (_, file) in FILES {
        home.put(file, "", 0o644);
    }
    home.program("tersely", "echo \"tersely $*\"");
    home.program("claude", "echo alone \"$*\"");
    home.well(&["init", "--yes"]);
    let ask = |shell: &str| {
        let mut command = Command::new(shell);
        let path = format!("{}:/usr/bin:/bin", home.path("bin").display());
        command.env_clear().env("HOME", &home.folder).env("PATH", path).env("TERM", "dumb");
        let ran = command.args(["-i", "-c", "claude -p hi"]).output();
        ran.ok().map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned())
    };
    for (shell, _) in FILES {
        let Some(said) = ask(shell) else { continue };
        assert_eq!(said, "tersely run claude -p hi\n", "{shell}");
    }
    std::fs::remove_file(home.path("bin/tersely")).expect("a file");
    for (shell, _) in FILES {
        let Some(said) = ask(shell) else { continue };
        assert_eq!(said, "alone -p hi\n", "{shell}");
    }
}

/// Behaviour 24.2: a name that is already defined is left alone.
#[test]
fn names_that_are_taken_are_left_alone() {
    let home = Home::new("taken", &["claude", "codex"]);
    home.put(".bashrc", "alias claude='claude --verbose'\n", 0o644);
    let ran = home.well(&["init", "--yes"]);
    assert!(
        ran.said.contains("claude: left unchanged, because") && ran.said.contains(".bashrc has"),
        "{ran:?}"
    );
    let text = home.read(".bashrc");
    assert!(text.contains("alias codex=") && text.matches("alias claude=").count() == 1, "{text}");
    home.put(".bashrc", "claude() { :; }\nfunction codex { :; }\n", 0o644);
    let before = home.all();
    let ran = home.run(&["init", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.said.contains("already set up"), "{ran:?}");
    assert_eq!(home.all(), before);
}

/// Behaviour 24.2: a file that cannot be changed does not block others.
#[test]
fn files_that_cannot_be_changed_are_left_alone() {
    let home = Home::new("unfit", &["claude"]);
    home.put(".bashrc", "a\n", 0o444);
    home.put(".zshrc", b"\xff\n", 0o644);
    let before = home.all();
    let ran = home.run(&["init", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.said.contains(".bashrc: read-only") && ran.said.contains(".zshrc: not UTF-8"), "{ran:?}");
    assert_eq!(home.all(), before);
    home.put(".config/fish/config.fish", "# >>> tersely >>>\n", 0o644);
    let ran = home.run(&["init", "--yes"]);
    assert!(ran.said.contains("do not match"), "{ran:?}");
    home.put(".config/fish/config.fish", "", 0o644);
    home.well(&["init", "--yes"]);
    assert!(home.read(".config/fish/config.fish").contains("alias claude="));
    assert_eq!((home.read(".bashrc").as_str(), home.path(RECORD).exists()), ("a\n", true));
}

/// Behaviour 24.3: an existing setup stays, and a new agent is added.
#[test]
fn twice_is_once_and_new_agents_join() {
    let home = Home::new("twice", &["claude"]);
    home.put(".bashrc", "a", 0o644);
    home.put(".zshrc", "b\n", 0o600);
    let before = home.all();
    home.well(&["init", "--yes"]);
    let once = home.all();
    let ran = home.well(&["init"]);
    assert!(ran.said.contains("nothing to change: Tersely is already set up"), "{ran:?}");
    assert_eq!(home.all(), once);
    home.program("codex", "exit 0");
    home.well(&["init", "--yes"]);
    let text = home.read(".bashrc");
    assert_eq!((text.matches(">>>").count(), text.matches("alias ").count()), (2, 2), "{text}");
    home.well(&["uninstall", "--yes"]);
    std::fs::remove_file(home.path("bin/codex")).expect("a file");
    assert_eq!(home.all(), before);
}

/// Behaviour 24.2: two paths to one file are one file.
#[test]
fn links_are_followed_and_stay() {
    let home = Home::new("links", &["claude"]);
    home.put("dotfiles/rc", "a\n", 0o640);
    for name in [".bashrc", ".zshrc"] {
        symlink("dotfiles/rc", home.path(name)).expect("a link");
    }
    let before = home.all();
    home.well(&["init", "--yes"]);
    assert_eq!(home.read("dotfiles/rc").matches("alias claude=").count(), 1);
    assert!(home.path(".bashrc").is_symlink());
    home.well(&["uninstall", "--yes"]);
    assert_eq!(home.all(), before);
}

/// Behaviour 24.9: it checks its own gateway, and a provider only with consent.
#[test]
fn verifying_asks_a_provider_only_with_consent() {
    let (address, seen) = crate::stage::upstream(std::time::Duration::ZERO);
    let mut home = Home::new("verify", &["claude"]);
    home.put(".bashrc", "", 0o644);
    home.put("tersely.toml", format!("[upstreams]\nanthropic = \"http://{address}\"\n"), 0o600);
    home.var("TERSELY_CONFIG", &home.path("tersely.toml").display().to_string());
    home.var("ANTHROPIC_API_KEY", "secret-key");
    let ran = home.well(&["init", "--yes", "--verify", "--json"]);
    assert!(ran.said.contains("verify: the gateway is ready"), "{ran:?}");
    assert!(ran.said.contains("/v1/models with ANTHROPIC_API_KEY: 200 OK"), "{ran:?}");
    assert!(!ran.said.contains("secret-key"), "{ran:?}");
    assert_eq!(ran.json()["verified"], true);
    let asked = seen.recv_timeout(std::time::Duration::from_mins(1)).expect("a request");
    assert_eq!(asked.line, "GET /v1/models HTTP/1.1");
    let ran = home.well(&["init", "--verify"]);
    assert!(ran.said.contains("there is no terminal to ask"), "{ran:?}");
    assert!(seen.try_recv().is_err());
}

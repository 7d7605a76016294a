//! Tests `tersely mcp install` and `uninstall` on realistic client configurations.

#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The settings folder of desktop applications.
const SETTINGS: &str = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };

/// As Claude Code writes it: user and project servers, among other settings.
const CLAUDE: &str = r#"{
  "numStartups": 3,
  "mcpServers": {
    "files": {
      "type": "stdio",
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "/srv"
      ],
      "env": {}
    },
    "docs": {
      "type": "http",
      "url": "https://example.com/mcp"
    }
  },
  "projects": {
    "/srv/shop": {
      "allowedTools": [],
      "mcpServers": {
        "git": {
          "type": "stdio",
          "command": "uvx",
          "args": [],
          "env": {
            "A": "b"
          }
        }
      }
    },
    "/srv/empty": {}
  }
}"#;

const DESKTOP: &str =
    r#"{"mcpServers":{"memory":{"command":"npx","args":["-y","server-memory"]},"bare":{"command":"memo"}}}"#;

const CODEX: &str = r#"# my settings
model = "gpt-5.5"

[mcp_servers.files]
command = "npx"   # by npm
args = ["-y", 'server-filesystem', "/srv"]
startup_timeout_sec = 20

  [mcp_servers.files.env]
  KEY = "v" # secret

[mcp_servers."with space"]
command = 'C:\tools\memo.exe'

[mcp_servers.docs]
url = "https://example.com/mcp"

[tui]
theme = "dark"
"#;

const CURSOR: &str = "{\n\t\"mcpServers\": {\n\t\t\"db\": { \"command\": \"${userHome}/bin/db\", \"args\": [ \"--ro\" ], \"envFile\": \".env\" },\n\t\t\"docs\": { \"url\": \"https://example.com/mcp\" }\n\t}\n}\n";

const VSCODE: &str = r#"{
    // Servers of this workspace
    "inputs": [
        { "type": "promptString", "id": "key", "description": "Key", "password": true, },
    ],
    "servers": {
        /* the "command": "x" here is none */
        "db": {
            "type": "stdio",
            "command": "node", // not npx
            "args": ["${workspaceFolder}/db.js",
                     "--key", "${input:key}",],
            "env": { "command": "x", "args": ["y"] },
        },
        "lone": {
            "command": "lone"
        },
        "docs": { "type": "http", "url": "https://example.com/mcp" },
    },
}
"#;

const GEMINI: &str = r#"{
  "security": {"auth": {"selectedType": "gemini-api-key"}}, // login
  "mcpServers": {
    "py": {
      "cwd": "./",  "args": [

        "-m", "server"
      ],
      "command": "python3", "timeout": 5000, "trust": false
    },
    "sse": {"url": "https://example.com/sse"}, "http": {"httpUrl": "https://example.com/mcp"}
  }
}
"#;

const OPENCODE: &str = r#"{
  "$schema": "https://opencode.ai/config.json",
  "command": { "test": { "template": "run" } },
  "mcp": {
    "a": { "type": "local", "command": ["npx", "-y", "p"], "environment": { "K": "v" }, "enabled": true },
    "b": {
      "type": "local",
      "command": [
        "one", // one alone
      ],
    },
    "docs": { "type": "remote", "url": "https://example.com/mcp" },
    "servers": { "nested": { "type": "local", "command": ["n"] } },
  },
}
"#;

/// A client, the path and content of its file, and how many servers can be wrapped.
const CLIENTS: [(&str, &str, &str, usize); 7] = [
    ("claude", ".claude.json", CLAUDE, 2),
    ("claude-desktop", "*/Claude/claude_desktop_config.json", DESKTOP, 2),
    ("codex", ".codex/config.toml", CODEX, 2),
    ("cursor", ".cursor/mcp.json", CURSOR, 1),
    ("vscode", "*/Code/User/mcp.json", VSCODE, 2),
    ("gemini", ".gemini/settings.json", GEMINI, 1),
    ("opencode", ".config/opencode/opencode.json", OPENCODE, 3),
];

/// A temporary home.
struct Home(PathBuf);

/// The exit code, stdout and stderr.
type Ended = (Option<i32>, String, String);

impl Home {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tersely-install-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path.canonicalize().expect("a path"))
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name.replace('*', SETTINGS));
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    fn run(&self, args: &[&str]) -> Ended {
        let output = Command::new(env!("CARGO_BIN_EXE_tersely"))
            .arg("mcp")
            .args(args)
            .env_clear()
            .env("HOME", &self.0)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .output()
            .expect("the binary");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// All files except the receipt.
    fn files(&self) -> Vec<String> {
        let listed = Command::new("find")
            .arg(&self.0)
            .args(["-type", "f", "!", "-name", "setup.json"])
            .output()
            .expect("find");
        let text = String::from_utf8(listed.stdout).expect("text");
        text.lines().map(|line| line.rsplit('/').next().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &PathBuf) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn every_client_is_changed_and_comes_back_byte_for_byte() {
    let returns = |text: &str| text.replace('\n', "\r\n");
    let marked = |text: &str| format!("\u{feff}{text}");
    let as_is = |text: &str| text.to_owned();
    for (way, spell) in [&as_is as &dyn Fn(&str) -> String, &returns, &marked].into_iter().enumerate() {
        for (client, name, text, count) in CLIENTS {
            let home = Home::new(&format!("{client}-{way}"));
            let text = spell(text);
            let path = home.file(name, &text);
            let (code, shown, said) = home.run(&["install", "--client", client, "--all", "--dry-run"]);
            assert_eq!((code, read(&path)), (Some(0), text.clone()), "{client}: {said}");
            let (code, same, said) = home.run(&["install", "--client", client, "--all", "--yes"]);
            assert_eq!((code, &same), (Some(0), &shown), "{client}: {said}");
            assert!(!shown.contains('\u{1b}') && !shown.contains('\r'), "{shown}");
            let wrapped = read(&path);
            let program = env!("CARGO_BIN_EXE_tersely");
            assert_eq!(wrapped.matches(program).count(), count, "{wrapped}");
            let added = shown.lines().filter(|line| line.starts_with('+') && line.contains(program));
            assert_eq!(added.count(), if client == "claude-desktop" { 1 } else { count }, "{shown}");
            assert_eq!(
                said.contains("docs: skipped"),
                text.contains("\"docs\"") || client == "codex",
                "{said}"
            );
            assert_eq!(home.files().len(), 2);
            let (code, again, _) = home.run(&["install", "--client", client, "--all", "--yes"]);
            assert_eq!((code, again.as_str(), read(&path)), (Some(0), "", wrapped));
            let (code, _, said) = home.run(&["uninstall", "--client", client, "--all", "--yes"]);
            assert_eq!((code, read(&path)), (Some(0), text), "{client}: {said}");
            assert_eq!(home.files().len(), 1, "{said}");
            let (code, again, _) = home.run(&["uninstall", "--client", client, "--all", "--yes"]);
            assert_eq!((code, again.as_str()), (Some(0), ""));
        }
    }
}

#[test]
fn clients_read_what_was_meant() {
    let home = Home::new("meaning");
    let program = env!("CARGO_BIN_EXE_tersely");
    let path = home.file(".claude.json", CLAUDE);
    home.run(&["install", "--client", "claude", "--all", "--yes"]);
    let now: serde_json::Value = serde_json::from_str(&read(&path)).expect("JSON");
    let mut expected: serde_json::Value = serde_json::from_str(CLAUDE).expect("JSON");
    let files = &mut expected["mcpServers"]["files"];
    files["command"] = program.into();
    files["args"] =
        serde_json::json!(["mcp", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "/srv"]);
    let git = &mut expected["projects"]["/srv/shop"]["mcpServers"]["git"];
    git["command"] = program.into();
    git["args"] = serde_json::json!(["mcp", "--", "uvx"]);
    assert_eq!(now, expected);
}

#[test]
fn what_was_changed_since_stays() {
    for (client, name, text, _) in CLIENTS {
        let home = Home::new(&format!("changed-{client}"));
        let path = home.file(name, text);
        home.run(&["install", "--client", client, "--all", "--yes"]);
        let (old, new) = if client == "codex" { ("dark", "light") } else { ("\": {", "\":   {") };
        let (old, new) = if client == "claude-desktop" { ("server-memory", "other") } else { (old, new) };
        fs::write(&path, read(&path).replace(old, new)).expect("a change");
        let (code, _, said) = home.run(&["uninstall", "--client", client, "--all", "--yes"]);
        assert_eq!((code, read(&path)), (Some(0), text.replace(old, new)), "{client}");
        assert!(said.contains("other changes") && home.files().len() == 2, "{said}");
        // The backup belongs to an older version of the file: it must not block the next one.
        home.run(&["install", "--client", client, "--all", "--yes"]);
        let (_, _, said) = home.run(&["uninstall", "--client", client, "--all", "--yes"]);
        assert_eq!(read(&path), text.replace(old, new));
        assert!(said.contains("byte for byte") && home.files().len() == 1, "{said}");
    }
}

#[test]
fn servers_are_changed_one_by_one() {
    let home = Home::new("one");
    let path = home.file(".config/opencode/opencode.json", OPENCODE);
    let run = |way, names: &[&str]| {
        let chosen: Vec<_> = names.iter().flat_map(|name| ["--server", name]).collect();
        home.run(&[&[way, "--client", "opencode", "--yes"], &chosen[..]].concat())
    };
    assert_eq!(run("install", &["a"]).0, Some(0));
    assert_eq!(run("install", &["b", "nested"]).0, Some(0));
    assert_eq!(read(&path).matches("\"mcp\"").count(), 4);
    let (_, _, said) = run("uninstall", &["a", "nested"]);
    assert!(said.contains("still going through Tersely: 1"), "{said}");
    assert_eq!(read(&path).matches("\"mcp\"").count(), 2);
    run("uninstall", &["b"]);
    assert_eq!((read(&path).as_str(), home.files().len()), (OPENCODE, 1));
    let (code, _, said) = run("install", &["docs"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("docs: skipped, because it is reached by a URL"), "{said}");
}

#[test]
fn what_a_user_wrapped_by_hand_stays_so() {
    let home = Home::new("hand");
    let text = r#"{"mcpServers":{"own":{"command":"tersely","args":["mcp","--mode","safe","--","x"]},"b":{"command":"y"}}}"#;
    let path = home.file("own.json", text);
    let run = |way, rest: &[&str]| {
        home.run(&[&[way, "--client", "cursor", "--file", "own.json", "--yes"], rest].concat())
    };
    run("install", &["--all"]);
    assert_ne!(read(&path), text);
    run("uninstall", &["--all"]);
    assert_eq!(read(&path), text);
    run("uninstall", &["--server", "own"]);
    assert_eq!(read(&path), r#"{"mcpServers":{"own":{"command":"x","args":[]},"b":{"command":"y"}}}"#);
}

#[test]
fn links_are_followed_and_permissions_kept() {
    let home = Home::new("link");
    let real = home.file("dotfiles/real.json", CURSOR);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).expect("permissions");
    symlink(&real, home.0.join("link.json")).expect("a link");
    let (code, ..) = home.run(&["install", "--client", "cursor", "--file", "link.json", "--all", "--yes"]);
    assert_eq!(code, Some(0));
    assert!(home.0.join("link.json").is_symlink() && read(&real) != CURSOR);
    for path in [real.clone(), home.0.join("dotfiles/real.json.tersely-backup")] {
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    home.run(&["uninstall", "--client", "cursor", "--file", "link.json", "--all", "--yes"]);
    assert_eq!(read(&real), CURSOR);
}

#[test]
fn without_a_choice_or_a_terminal_nothing_is_written() {
    let home = Home::new("choice");
    let path = home.file(".codex/config.toml", CODEX);
    let run = |rest: &[&str]| home.run(&[&["install", "--client", "codex"], rest].concat());
    let (code, shown, said) = run(&[]);
    assert_eq!(code, Some(1));
    assert_eq!(
        shown,
        "files       npx\nwith space  C:\\tools\\memo.exe\ndocs        cannot: it is reached by a URL\n"
    );
    assert!(said.contains("--all") && said.contains("--server"), "{said}");
    let (code, shown, said) = run(&["--all"]);
    assert!(
        shown.contains("+args = [\"mcp\", \"--\", \"npx\", \"-y\", 'server-filesystem', \"/srv\"]\n"),
        "{shown}"
    );
    assert!(code == Some(2) && said.contains("--yes"), "{said}");
    let (code, _, said) = run(&["--server", "nobody", "--yes"]);
    assert!(code == Some(1) && said.contains("there are: files, with space, docs"), "{said}");
    assert_eq!((read(&path).as_str(), home.files().len()), (CODEX, 1));
}

#[test]
fn broken_and_hostile_files_are_told_and_left_alone() {
    let deep = format!("{{\"mcpServers\": {}", "[".repeat(200_000));
    let large = format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"{}\"}}}}}}", "x".repeat(50_000_000));
    let wide = format!("a = [{}]", "0,".repeat(3_000_000));
    for (client, text, code, words) in [
        ("cursor", "{\n  \"mcpServers\": {\n    \"a\" {}\n", 2, "line 3, column 9: expected a colon"),
        ("cursor", "", 2, "line 1, column 1: expected a value"),
        ("cursor", "\u{feff}[]", 2, "line 1, column 1: expected an object"),
        ("cursor", "{}", 1, "contains no MCP servers"),
        ("cursor", "{\"mcpServers\": [1]}", 2, "column 16: expected an object"),
        ("cursor", "{\"mcpServers\": {\"a\": 1}}", 1, "a: skipped, because it is not an object"),
        ("cursor", "{\"mcpServers\": {\"a\": {}, \"a\": {}}}", 2, "a key that is not there already"),
        ("cursor", "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": {}}}}", 1, "not a list"),
        ("cursor", deep.as_str(), 2, "no more than 128 levels"),
        ("cursor", large.as_str(), 2, "more than 32 MB"),
        ("codex", wide.as_str(), 2, "more than 4 MB"),
        ("codex", "[mcp_servers.a\n", 2, "expected valid TOML"),
        ("codex", "mcp_servers = 1\n", 2, "expected a table"),
        ("codex", "[mcp_servers.a]\ncommand = 'x'\ncommand = 'y'\n", 2, "line 3"),
    ] {
        let home = Home::new("hostile");
        let path = home.file("file", text);
        let ended = home.run(&["install", "--client", client, "--file", "file", "--all", "--yes"]);
        let shown: String = text.chars().take(60).collect();
        assert!(ended.0 == Some(code) && ended.2.contains(words), "{shown}: {:?} {}", ended.0, ended.2);
        assert!(!ended.2.contains("internal error"), "{}", ended.2);
        assert!(read(&path) == text && home.files().len() == 1, "{shown}");
    }
}

#[test]
fn what_is_no_file_of_text_is_told() {
    let home = Home::new("files");
    home.file("latin.json", b"{\"\xff\": 1}");
    for (args, words) in [
        (&["--client", "gemini"][..], ".gemini/settings.json"),
        (&["--client", "opencode"], "opencode.jsonc, "),
        (&["--client", "vscode", "--file", "none.json"], "no such file: none.json"),
        (&["--client", "vscode", "--file", "."], "not a file"),
        (&["--client", "vscode", "--file", "latin.json"], "not UTF-8 at byte 2"),
    ] {
        let (code, _, said) = home.run(&[&["install", "--all", "--yes"], args].concat());
        assert!(code == Some(2) && said.contains(words), "{said}");
    }
}

#[test]
fn a_server_may_have_the_name_of_a_command() {
    let home = Home::new("name");
    let script = home.file("install", "#!/bin/sh\necho \"$@\"\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("permissions");
    let name = script.to_str().expect("a path");
    assert_eq!(home.run(&["--", name, "install"]).0, Some(0));
    let (code, _, said) = home.run(&["--", "install-that-is-not-there"]);
    assert!(code == Some(2) && said.contains("no such command"), "{said}");
    let (code, _, said) = home.run(&["--mode", "safe", "--", "uninstall"]);
    assert!(code == Some(2) && said.contains("uninstall: no such command"), "{said}");
}

//! Tests `tersely doctor` on machines in several states.

use std::net::TcpListener;
use std::time::Duration;

use crate::stage::{start, tersely, upstream};
use serde_json::Value;

/// An address without a listener.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

/// Runs the command; returns the exit code and the findings.
fn doctor(args: &[&str], env: &[(&str, &str)]) -> (Option<i32>, String) {
    let env = [&[("PATH", "/nowhere")], env].concat();
    let ran = tersely(&[&["doctor"], args].concat(), &env).output().expect("it ends");
    (ran.status.code(), String::from_utf8(ran.stdout).expect("UTF-8"))
}

fn has(said: &str, words: &[&str]) -> bool {
    said.lines().any(|line| words.iter().all(|word| line.contains(word)))
}

#[test]
fn a_machine_in_order_is_fine() {
    let (address, _seen) = upstream(Duration::ZERO);
    let (code, said) = doctor(&["--listen", &nobody(), "--upstream", &format!("http://{address}")], &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(has(&said, &["ok", "upstream http://127.0.0.1:", "responds (200 OK)"]), "{said}");
    assert!(has(&said, &["ok", "sample", "% saved"]), "{said}");
    assert!(has(&said, &["-", "claude", "not installed", "npm install"]), "{said}");
    assert!(!said.contains('✓'), "signs are for terminals: {said}");
}

#[test]
fn what_is_stale_or_down_is_said_with_what_to_do() {
    let dead = format!("http://{}", nobody());
    let (code, said) =
        doctor(&["--listen", &nobody(), "--upstream", &dead], &[("ANTHROPIC_BASE_URL", &dead)]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        has(&said, &["bad", "ANTHROPIC_BASE_URL", "does not respond", "unset ANTHROPIC_BASE_URL"]),
        "{said}"
    );
    assert!(has(&said, &["bad", "upstream", "refused", "nothing is listening there"]), "{said}");
}

#[test]
fn a_running_gateway_is_known() {
    let (address, _seen) = upstream(Duration::ZERO);
    let url = format!("http://{address}");
    let served = start(&["serve", "--listen", "127.0.0.1:0", "--upstream", &url], &[]);
    let here = served.address();
    let base = format!("http://{here}");
    let (code, said) = doctor(&["--listen", &here, "--upstream", &url], &[("ANTHROPIC_BASE_URL", &base)]);
    assert_eq!(code, Some(0), "{said}");
    assert!(has(&said, &["ok", "ANTHROPIC_BASE_URL", "is Tersely"]), "{said}");
    assert!(has(&said, &["ok", "listen", "Tersely is running here"]), "{said}");
}

/// Behaviour 19.4.
#[test]
fn the_reader_that_is_assumed_is_said() {
    let (address, _seen) = upstream(Duration::ZERO);
    let args = ["--listen", &nobody(), "--upstream", &format!("http://{address}")];
    let (_, said) = doctor(&args, &[("ANTHROPIC_MODEL", "qwen3:4b"), ("GEMINI_MODEL", "gemini-3-pro")]);
    assert!(has(&said, &["reader", "strong, except for requests to a small model"]), "{said}");
    assert!(has(&said, &["ANTHROPIC_MODEL", "qwen3:4b", "small"]), "{said}");
    assert!(has(&said, &["GEMINI_MODEL", "gemini-3-pro", "strong"]), "{said}");
    let (_, said) = doctor(&[&args[..], &["--reader", "small"]].concat(), &[]);
    assert!(has(&said, &["reader", "small for every model (set explicitly)"]), "{said}");
}

#[test]
fn keys_and_passwords_are_not_shown() {
    let (address, _seen) = upstream(Duration::ZERO);
    let args = ["--json", "--listen", &nobody(), "--upstream", &format!("http://{address}")];
    let env = [
        ("OPENAI_API_KEY", "sk-secret"),
        ("HTTPS_PROXY", "http://u:sk-secret@h:1"),
        ("SSL_CERT_FILE", "/no"),
    ];
    let (code, said) = doctor(&args, &env);
    assert_eq!(code, Some(1), "{said}");
    assert!(!said.contains("sk-secret"), "{said}");
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let state = |subject: &str| {
        let found = report["findings"].as_array().expect("a list").iter();
        found.filter(|it| it["subject"] == subject).map(|it| it["state"].clone()).next().unwrap_or_default()
    };
    assert_eq!((state("OPENAI_API_KEY"), state("HTTPS_PROXY")), ("ok".into(), "ok".into()));
    assert_eq!(state("SSL_CERT_FILE"), "bad");
    assert_eq!(report["broken"], 1);
}

/// Behaviour 14.8.
#[test]
fn a_report_says_how_it_is_and_nothing_of_the_users() {
    let folder = tempfile();
    let file = folder.join("canary.toml");
    let text = "mode = \"safe\"\nhosts = [\"canary.example\"]\n[store]\ntenant_header = \"x-canary\"\n\
                [[rules]]\ntool = \"canary*\"\nmode = \"disabled\"\n[mcp.servers.canary]\ncommand = [\"canary\"]\n";
    std::fs::write(&file, text).expect("a file");
    let dead = nobody();
    let upstream = format!("http://{dead}/canary");
    let args =
        ["--report", "--config", file.to_str().expect("a path"), "--upstream", &format!("http://{dead}")];
    let env = [
        ("OPENAI_API_KEY", "sk-canary"),
        ("ANTHROPIC_BASE_URL", upstream.as_str()),
        ("ANTHROPIC_MODEL", "canary-4b"),
        ("HTTPS_PROXY", "http://canary:canary@canary:1"),
        ("SSL_CERT_FILE", "/canary"),
    ];
    let (code, said) = doctor(&args, &env);
    assert_eq!(code, Some(1), "{said}");
    let (_, page) = said.split_once("-->").expect("a first line");
    assert!(!page.contains("canary") && !page.contains(&dead) && !page.contains("127.0.0.1"), "{page}");
    for line in [
        &format!("- Tersely {}, {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS),
        "- `mode = \"safe\"`",
        "- `hosts: set`",
        "- `store.tenant_header: set`",
        "- `rules[0]`",
        "- `mcp.servers: one`",
        "- **bad**: ANTHROPIC_BASE_URL: does not respond",
        "- ok: OPENAI_API_KEY: set",
        "- **bad**: SSL_CERT_FILE: not a file",
        "- **bad**: upstream anthropic (custom address): does not respond; nothing is listening there",
        "- claude: not installed",
    ] {
        assert!(page.lines().any(|it| it.starts_with(line)), "{line}: {page}");
    }
    std::fs::remove_dir_all(folder).expect("it goes");
}

/// Behaviour 24.11: version checks of agents write nothing to the user's home.
#[test]
fn nothing_is_written_into_a_home() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("doctor-home");
    let _ = std::fs::remove_dir_all(&folder);
    let (home, bin) = (folder.join("home"), folder.join("bin"));
    for folder in [&home, &bin] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    let script = "#!/bin/sh\nmkdir -p \"$HOME/.agent\" \"${XDG_DATA_HOME:-$HOME/.local}/agent\" && touch here && echo 1.2.3\n";
    std::fs::write(bin.join("claude"), script).expect("a script");
    std::fs::set_permissions(bin.join("claude"), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let (home_text, path) = (home.display().to_string(), format!("{}:/usr/bin:/bin", bin.display()));
    let args = ["doctor", "--listen", &nobody(), "--upstream", &format!("http://{}", nobody())];
    let ran = tersely(&args, &[("HOME", &home_text), ("PATH", &path)])
        .current_dir(&home)
        .output()
        .expect("it ends");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(has(&said, &["ok", "claude", "1.2.3"]), "{said}");
    assert_eq!(std::fs::read_dir(&home).expect("a folder").count(), 0);
}

/// An empty temporary folder for this test.
fn tempfile() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("tersely-doctor-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

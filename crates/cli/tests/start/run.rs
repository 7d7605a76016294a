//! Tests `tersely run` with stand-ins for the clients: scripts that print their arguments and environment.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::time::Duration;

use crate::stage::{start, tersely, turn, upstream};

/// A folder with one program in it.
fn program(test: &str, name: &str, script: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("run").join(test);
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    folder.display().to_string()
}

fn run(folder: &str, args: &[&str], env: &[(&str, &str)]) -> Output {
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let env = [env, &[("PATH", path.as_str())]].concat();
    tersely(&[&["run"], args].concat(), &env).output().expect("it ends")
}

fn stdout(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn stderr(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stderr).into_owned()
}

#[test]
fn claude_is_told_where_to_go_and_keeps_tool_search() {
    let folder = program("claude", "claude", "echo \"$ANTHROPIC_BASE_URL $ENABLE_TOOL_SEARCH $*\"");
    let ran = run(&folder, &["claude", "-p", "hello there"], &[]);
    assert!(stdout(&ran).starts_with("http://127.0.0.1:"), "{}", stdout(&ran));
    assert!(stdout(&ran).ends_with(" true -p hello there\n"), "{}", stdout(&ran));
    assert!(stderr(&ran).contains("no requests came through"), "{}", stderr(&ran));
}

#[test]
fn what_was_set_becomes_the_upstream() {
    let (address, seen) = upstream(Duration::ZERO);
    let send = "curl -s --data-binary @- \"$ANTHROPIC_BASE_URL/v1/messages\" < body.json";
    let folder = program("upstream", "claude", &format!("cd \"$(dirname \"$0\")\"; {send}"));
    let (body, _) = turn();
    fs::write(PathBuf::from(&folder).join("body.json"), &body).expect("a file");
    let ran = run(&folder, &["claude"], &[("ANTHROPIC_BASE_URL", &format!("http://{address}/base"))]);
    let seen = seen.recv_timeout(Duration::from_mins(1)).expect("a request");
    assert_eq!(seen.line, "POST /base/v1/messages HTTP/1.1");
    assert!(seen.body.len() * 2 < body.len());
    assert_eq!(stdout(&ran), "{}");
    assert!(stderr(&ran).starts_with("tersely: 1 request: "), "{}", stderr(&ran));
    assert!(stderr(&ran).contains(" tokens saved, "), "{}", stderr(&ran));
}

#[test]
fn codex_is_told_by_arguments_and_opencode_by_its_configuration() {
    let folder = program("codex", "codex", "echo \"$*\"");
    let said = stdout(&run(&folder, &["codex", "exec", "x"], &[]));
    assert!(said.starts_with("-c openai_base_url=\"http://127.0.0.1:"), "{said}");
    assert!(said.ends_with("/v1\" exec x\n"), "{said}");
    let folder = program("opencode", "opencode", "echo \"$OPENCODE_CONFIG_CONTENT\"");
    let said = stdout(&run(&folder, &["opencode"], &[("ANTHROPIC_API_KEY", "k")]));
    assert!(
        said.starts_with(r#"{"provider":{"anthropic":{"options":{"baseURL":"http://127.0.0.1:"#),
        "{said}"
    );
}

#[test]
fn any_command_gets_the_usual_variables() {
    let folder =
        program("other", "agent", "echo \"$OPENAI_BASE_URL $GOOGLE_GEMINI_BASE_URL $OLLAMA_HOST $1\"");
    let said = stdout(&run(&folder, &["--", "agent", "--flag"], &[]));
    let words: Vec<_> = said.split_whitespace().collect();
    assert!(words[0].starts_with("http://127.0.0.1:") && words[0].ends_with("/v1"), "{said}");
    assert!(words[1..3].iter().all(|word| word.starts_with("http://127.0.0.1:")), "{said}");
    assert_eq!(words[3], "--flag");
}

#[test]
fn the_exit_code_is_the_command_s_own() {
    let folder = program("code", "agent", "exit 7");
    assert_eq!(run(&folder, &["agent"], &[]).status.code(), Some(7));
    let folder = program("killed", "agent", "kill -KILL $$");
    assert_eq!(run(&folder, &["agent"], &[]).status.code(), Some(128 + 9));
}

#[test]
fn an_address_to_listen_on_is_refused() {
    let ran = tersely(&["run", "--listen", "127.0.0.1:0", "true"], &[]).output().expect("it ends");
    assert_eq!(ran.status.code(), Some(2));
    assert!(stderr(&ran).contains("run always chooses a free port"), "{}", stderr(&ran));
    let help = tersely(&["run", "--help"], &[]).output().expect("it ends");
    assert!(!stdout(&help).contains("--listen"), "{}", stdout(&help));
}

#[test]
fn signals_are_passed_on() {
    let folder = program("signals", "agent", "trap 'exit 3' TERM; echo up >&2; while :; do sleep 0.05; done");
    let path = format!("{folder}/agent");
    let mut ran = start(&["run", &path], &[]);
    assert_eq!(ran.line(), "up");
    ran.signal("TERM");
    assert_eq!(ran.code(), Some(3));
}

#[test]
fn a_client_that_is_not_there_is_said_with_how_to_get_it() {
    let empty = [("PATH", "/nowhere")];
    let ran = tersely(&["run", "codex"], &empty).output().expect("it ends");
    assert_eq!(ran.status.code(), Some(2));
    assert!(stderr(&ran).contains("codex is not installed"), "{}", stderr(&ran));
    assert!(stderr(&ran).contains("npm install -g @openai/codex"), "{}", stderr(&ran));
    let ran = tersely(&["run", "no-such"], &empty).output().expect("it ends");
    assert!(stderr(&ran).contains("no-such: no such command"), "{}", stderr(&ran));
}

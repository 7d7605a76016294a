//! Tests the comparison of answers with and without compression, with scripted models.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::stage::{Seen, scripted};

/// A model that repeats its input and reports usage.
fn echoes(seen: &Seen) -> (u16, String) {
    let asked: Value = serde_json::from_str(&seen.body).expect("JSON");
    let message = json!({"role": "assistant", "content": asked["messages"].to_string()});
    let usage = json!({"prompt_tokens": seen.body.len() / 4});
    (200, json!({"choices": [{"message": message}], "usage": usage}).to_string())
}

/// The same without usage.
fn tells_nothing(seen: &Seen) -> (u16, String) {
    let mut answer: Value = serde_json::from_str(&echoes(seen).1).expect("JSON");
    answer["usage"] = json!({});
    (200, answer.to_string())
}

/// A model that cannot read any form.
fn is_puzzled(seen: &Seen) -> (u16, String) {
    if seen.body.contains("[layout1 ") {
        (200, r#"{"choices":[{"message":{"content":"?"}}],"usage":{"prompt_tokens":1}}"#.to_owned())
    } else {
        echoes(seen)
    }
}

/// A provider that fails on changed requests.
fn fails(seen: &Seen) -> (u16, String) {
    if seen.body.contains("[layout1 ") { (500, "{}".to_owned()) } else { echoes(seen) }
}

fn check(script: fn(&Seen) -> (u16, String), args: &[&str], code: i32, words: &str) {
    let (model, _seen) = scripted(script);
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/compare/compare.py");
    let ran = Command::new("python3")
        .arg(program)
        .args(args)
        .args(["--tersely", env!("CARGO_BIN_EXE_tersely"), "--upstream", &format!("http://{model}")])
        .output()
        .expect("python3");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(code), "{args:?}: {said}");
    assert!(said.contains(words), "{args:?}: {said}");
}

/// Behaviour 16.3.
#[test]
fn answers_that_stay_and_tokens_that_go_are_fine() {
    check(echoes, &["results", "--min-saving", "100"], 0, "provider");
    check(tells_nothing, &["results", "--min-saving", "100"], 0, "estimated");
}

/// Behaviour 16.3.
#[test]
fn too_little_saved_fails() {
    check(echoes, &["results", "--min-saving", "1000000"], 1, "at least 1000000 were asked for");
}

/// Behaviour 16.3.
#[test]
fn an_answer_that_is_lost_fails() {
    check(is_puzzled, &["results"], 1, "answered without compression only: issue");
    check(fails, &["results"], 1, "answered without compression only: issue");
}

/// Behaviour 16.2.
#[test]
fn users_texts_are_compared_too() {
    check(echoes, &["prompts", "--min-saving", "100"], 0, "provider");
}

//! `tersely library` answers the packages' calls as `tersely compress` and `tersely decode` would.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn tersely(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tersely"))
        .args(args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end before it has read everything.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}

/// A call with a payload.
fn call(operation: &str, options: &Value, payload: &str) -> Vec<u8> {
    let head = json!({"operation": operation, "options": options, "bytes": payload.len()});
    format!("{head}\n{payload}").into_bytes()
}

fn rows() -> String {
    let rows: Vec<Value> =
        (0..40).map(|n| json!({"id": n, "name": format!("item {n}"), "state": "open"})).collect();
    Value::from(rows).to_string()
}

#[test]
fn calls_are_answered_in_order_with_the_bytes_of_the_command() {
    let compressed = tersely(&["compress"], rows().as_bytes());
    let compressed = String::from_utf8(compressed.stdout).expect("text");
    let input = [
        call("text", &json!({}), &rows()),
        call("nothing", &json!({}), ""),
        call("restore", &json!({}), compressed.trim_end_matches('\n')),
    ];
    let done = tersely(&["library"], &input.concat());
    let said = String::from_utf8(done.stdout).expect("text");
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(said.contains(compressed.trim_end()), "{said}");
    assert!(said.contains("\"error\""), "a call that is none has an error: {said}");
    assert!(said.contains(&rows()), "what was compressed comes back: {said}");
}

#[test]
fn what_is_no_call_ends_it_with_a_hint() {
    for input in
        [&b"no json\n"[..], b"{\"operation\":\"restore\",\"bytes\":99999999999999}\n", b"{\"bytes\":5}\nab"]
    {
        let done = tersely(&["library"], input);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(
            said.contains("standard input") && said.contains("only the Python and TypeScript packages"),
            "{said}"
        );
    }
    assert_eq!(tersely(&["library"], b"").status.code(), Some(0));
}

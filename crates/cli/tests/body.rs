//! Tests the `tersely compress --body` command.

use serde_json::{Value, json};
use tersely_testing::run::BuiltBinary;

const TERSELY: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely"), place: env!("CARGO_TARGET_TMPDIR") };

/// JSON rows that take fewer tokens in another form.
fn rows() -> String {
    let rows: Vec<Value> = (0..30).map(|n| json!({"id": n, "kind": "fruit", "ripe": null})).collect();
    Value::from(rows).to_string()
}

/// A Messages body with `text` as a result.
fn messages(text: &str) -> String {
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": text});
    format!("{{\"model\" : \"m\",\"n\":1.0,\"messages\":[{{\"role\":\"user\",\"content\":[{result}]}}]}}\n")
}

/// A Chat Completions body with `text` as a result.
fn chat(text: &str) -> String {
    let result = json!({"role": "tool", "tool_call_id": "a", "content": text});
    format!("{{\"messages\":[{result}]}}")
}

/// A Responses body with `text` as a result.
fn responses(text: &str) -> String {
    json!({"input": [{"type": "function_call_output", "call_id": "a", "output": text}]}).to_string()
}

#[test]
fn a_body_is_written_as_it_would_be_sent() {
    for body in [messages(&rows()), chat(&rows())] {
        let ran = TERSELY.run("compress --body", &body);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        let content = ran.stdout.find("30 rows\\n").expect("a compressed result");
        assert_eq!(ran.stdout[..content - 1], body[..content - 1], "what stands before the result");
        let (old, new) = (body.rfind(']').unwrap(), ran.stdout.rfind(']').unwrap());
        assert_eq!(ran.stdout[new..], body[old..], "what stands behind it");
    }
}

/// Processes share no state: the output depends only on the request.
#[test]
fn another_process_gives_the_same_bytes() {
    let result = |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let (first, second, third) = (result("a", &rows()), result("b", &rows()), result("c", "nothing new"));
    let short = format!(r#"{{"messages":[{first},{second}]}}"#);
    let long = format!(r#"{{"messages":[{first},{second},{third}]}}"#);
    for loss in ["none", "form", "detail"] {
        let [once, again, longer] = [&short, &short, &long]
            .map(|body| TERSELY.run(&format!("compress --body --loss {loss}"), body).stdout);
        assert_eq!(once, again);
        let sent = once.strip_suffix("]}").expect("the end of a body");
        assert!(longer.starts_with(&format!("{sent},")), "{loss}: {longer}");
    }
}

#[test]
fn the_provider_is_told_by_the_results_or_by_name() {
    for (args, body, said) in [
        ("", messages(&rows()), "provider: anthropic, detected from the tool results"),
        ("", chat(&rows()), "provider: chat, detected from the tool results"),
        ("--provider ollama", chat(&rows()), "provider: ollama, as specified"),
        ("--provider openai", chat(&rows()), "provider: chat, as specified"),
        ("--provider openai", responses(&rows()), "provider: responses, as specified"),
    ] {
        let ran = TERSELY.run(&format!("compress --body --explain {args}"), body);
        assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
        assert!(ran.stderr.contains("\njson "), "{}", ran.stderr);
        assert!(ran.stderr.contains("texts in tool results: 1; tokens: "), "{}", ran.stderr);
    }
}

#[test]
fn a_body_that_does_not_tell_is_not_guessed_at() {
    let plain = r#"{"messages":[{"role":"user","content":"hello"}]}"#;
    let said = [
        "<stdin>: cannot detect the API, because the body contains no tool results",
        "--provider to one of anthropic, chat, responses, gemini, ollama, converse, invoke, openai",
    ];
    TERSELY.check("compress --body", plain, ("", 2), &said);
    TERSELY.check("compress --body --provider chat", plain, (plain, 0), &[]);
    TERSELY.check("compress --body --provider nobody", plain, ("", 2), &["nobody"]);
    TERSELY.check("compress --provider chat", plain, ("", 2), &["--body"]);
    TERSELY.check("compress --body --tool sh", plain, ("", 2), &["--tool"]);
}

#[test]
fn a_broken_body_is_written_as_it_came() {
    let broken = messages(&rows()) + "]";
    let said = ["<stdin>: byte ", "expected the end of the body; the body would be sent unchanged"];
    TERSELY.check("compress --body --provider anthropic", &broken, (&broken, 1), &said);
}

#[test]
fn bytes_that_are_no_text_are_written_as_they_came() {
    let path = TERSELY.file("body/latin.json", b"{\"messages\":[{\"role\":\"user\",\"content\":\"\xe9\"}]}");
    let ran = TERSELY.run(&format!("compress --body --provider chat --json {path}"), "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

/// Behaviour 3.2.
#[test]
fn disabled_changes_nothing() {
    TERSELY.check("compress --body --mode off", messages(&rows()), (&messages(&rows()), 0), &[]);
}

#[test]
fn no_more_is_lost_than_was_said() {
    let log = (0..3000)
        .map(|n| format!("2024-01-01T00:00:{:02} worker {n} done\n", n % 60))
        .collect::<Vec<_>>()
        .concat();
    let plain = messages(&log);
    let tools = |about: &str| {
        let tool = json!([{"name": "t", "description": about, "input_schema": {"type": "object"}}]);
        plain.replacen('{', &format!("{{\"tools\":{tool},"), 1)
    };
    let (few, tools) = (tools(""), tools(&"What it does. ".repeat(2_000)));
    for (args, body, is_short) in [
        ("", &few, false),
        ("--loss detail", &few, false),
        ("", &tools, true),
        ("--loss detail", &tools, true),
        ("--loss form", &tools, false),
        ("--loss none", &tools, false),
        ("", &plain, false),
        ("--loss detail", &plain, false),
    ] {
        let ran = TERSELY.run(&format!("compress --body {args}"), body);
        assert_eq!(ran.stdout.contains("<<<SHADOW:shadow_"), is_short, "{args}");
        assert_eq!(ran.stdout.contains("\"expand_context\""), is_short, "{args}");
    }
}

/// Behaviour 2.5, 12.3.
#[test]
fn what_the_body_says_to_us_is_heard_and_taken_out() {
    let told = |said: &str| messages(&rows()).replacen('{', &format!("{{\"_tersely\":{said},"), 1);
    let off = told(r#"{"tool_output_compression":"off"}"#);
    TERSELY.check("compress --body", off, (&messages(&rows()), 0), &[]);
    let bad = told(r#"{"tool_output_compression":"more"}"#);
    TERSELY.check(
        "compress --body",
        bad,
        ("", 2),
        &["<stdin>: _tersely.tool_output_compression: unknown mode \"more\""],
    );
}

#[test]
fn scripts_get_one_object() {
    let ran = TERSELY.run("compress --body --json", messages(&rows()));
    let object: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&object["provider"], &object["slots"], &object["changed"]),
        (&json!("anthropic"), &json!(1), &json!(1))
    );
    assert!(object["after"].as_u64() < object["before"].as_u64());
    assert_eq!(object["stages"][0]["stage"], "json");
    assert!(object["body"].as_str().unwrap().starts_with("{\"model\" : \"m\""));
}

//! Tests the `tersely audit` command.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use serde_json::{Value, json};
use tersely_testing::run::BuiltBinary;

const TERSELY: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely"), place: env!("CARGO_TARGET_TMPDIR") };

/// Number of requests in the history below.
const REQUESTS: u64 = 5;

/// The provider's usage for a request by number, with a working cache.
fn usage(request: u64) -> Value {
    let read = if request == 0 { 0 } else { 18_000 + 2_000 * request };
    json!({ "input_tokens": 4, "cache_read_input_tokens": read, "cache_creation_input_tokens": 20_000 + 2_000 * request - read, "output_tokens": 40 })
}

/// A Claude Code session that reads files.
fn history(session: &str, tool: &str) -> String {
    let mut lines = String::new();
    let mut say = |kind: &str, minute: u64, message: Value| {
        let line = json!({
            "type": kind, "sessionId": session, "cwd": "/src/app", "isSidechain": false,
            "timestamp": format!("2026-02-19T08:{minute:02}:00.000Z"), "message": message,
        });
        lines.extend([line.to_string(), "\n".to_owned()]);
    };
    say("user", 0, json!({ "role": "user", "content": "Fix the parser." }));
    for request in 0..REQUESTS {
        let file = format!("/src/app/<b>{request}.rs");
        let call = json!({ "type": "tool_use", "id": format!("t{request}"), "name": tool, "input": { "file_path": file } });
        say(
            "assistant",
            request,
            json!({
                "id": format!("{session}-{request}"), "role": "assistant", "model": "claude-sonnet-4-6", "content": [call], "usage": usage(request),
            }),
        );
        let line = |line: u64| format!("{line:>6}→    let value_{line} = parse(input, {request});");
        let text = (1..=120).map(line).collect::<Vec<_>>().join("\n");
        say(
            "user",
            request,
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{request}"), "content": text }] }),
        );
    }
    lines
}

fn audit(arguments: &str) -> Value {
    let ran = TERSELY.run(&format!("audit --json {arguments}"), "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[test]
fn what_was_paid_is_what_was_counted() {
    let file = TERSELY.file("audit/paid/one.jsonl", history("s1", "Read"));
    let audit = audit(&file);
    let total = &audit["total"];
    assert_eq!((&total["requests"], &total["counted"]), (&json!(REQUESTS), &json!(REQUESTS)));
    let [read, written] = [0, 1].map(|kind| {
        (0..REQUESTS)
            .map(usage)
            .map(|it| it[["cache_read_input_tokens", "cache_creation_input_tokens"][kind]].as_u64().unwrap())
            .sum::<u64>()
    });
    assert_eq!(total["billed"]["cache_read"], json!(read));
    assert_eq!(total["billed"]["cache_write"], json!(written));
    assert!(total["paid"].as_f64().unwrap() > 0.05, "{total}");
    assert!(total["saved"]["exact"]["dollars"].as_f64().unwrap() > 0.0, "{total}");
    assert!(total["result_tokens"]["exact"].as_u64() < total["result_tokens"]["came"].as_u64(), "{total}");
    let error = audit["simulation_error_percent"]["times_and_texts"].as_f64().unwrap();
    assert!(error.abs() < 3.0, "{error}");
    assert_eq!(audit["most_expensive"][0]["tool"], "Read");
    assert!(audit["most_expensive"][0]["about"].as_str().unwrap().starts_with("<b>"), "within its project");
}

/// Five requests that read nothing from the cache, each for a reason that the file shows, or does not.
fn missed() -> String {
    let mut lines = String::new();
    let mut say = |line: Value| lines.extend([line.to_string(), "\n".to_owned()]);
    let user = |parent: Option<&str>| json!({ "type": "user", "sessionId": "s9", "cwd": "/src/app", "parentUuid": parent, "message": { "role": "user", "content": "Go on." } });
    let answer = |at: &str, model: &str, number: u64, diagnostics: Value| {
        let usage = json!({ "input_tokens": 4, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 30_000 + number, "output_tokens": 9 });
        let message = json!({
            "id": format!("m{number}"), "role": "assistant", "model": model, "usage": usage, "diagnostics": diagnostics,
            "content": [{ "type": "text", "text": "Done." }],
        });
        json!({ "type": "assistant", "sessionId": "s9", "timestamp": format!("2026-02-19T08:{at}:00.000Z"), "message": message })
    };
    let tools =
        json!({ "cache_miss_reason": { "type": "tools_changed", "cache_missed_input_tokens": 29_000 } });
    let (opus, sonnet) = ("claude-opus-4-8", "claude-sonnet-4-6");
    for (parent, at, model, said) in [
        ("a", "00", opus, Value::Null),
        ("b", "01", sonnet, Value::Null),
        ("c", "12", sonnet, Value::Null),
        ("d", "13", sonnet, tools),
        ("e", "14", sonnet, Value::Null),
    ] {
        say(user(Some(parent)));
        say(answer(at, model, at.parse().expect("a minute"), said));
    }
    say(json!({ "type": "system", "subtype": "compact_boundary", "sessionId": "s9" }));
    say(user(None));
    say(answer("15", sonnet, 15, Value::Null));
    lines
}

#[test]
fn a_miss_has_its_cause_as_far_as_the_file_shows_it() {
    let file = TERSELY.file("audit/missed/one.jsonl", missed());
    let cache = &audit(&file)["cache"];
    let mut causes: Vec<_> = cache["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["cause"].as_str().unwrap(), it["provider_says"].as_str(), it["requests"].as_u64()))
        .collect();
    causes.sort_unstable();
    let expected = [
        ("compacted", None, Some(1)),
        ("idle", None, Some(1)),
        ("model", None, Some(1)),
        ("unknown", None, Some(1)),
        ("unknown", Some("tools changed"), Some(1)),
    ];
    assert_eq!(causes, expected);
    let idle = cache["most_expensive"].as_array().unwrap().iter().find(|it| it["cause"] == "idle").unwrap();
    assert_eq!(
        (&idle["idle_minutes"], &idle["owner"], &idle["request"]),
        (&json!(11), &json!("person"), &json!(3))
    );
    let lost = |name: &str| {
        cache["causes"].as_array().unwrap().iter().filter_map(|it| it[name].as_u64()).sum::<u64>()
    };
    assert_eq!(
        lost("tokens"),
        cache["expired"]["tokens"].as_u64().unwrap() + cache["broken"]["tokens"].as_u64().unwrap()
    );
    let text = TERSELY.run(&format!("audit {file}"), "").stdout;
    for words in [
        "idle for longer than the cache lifetime",
        "model changed",
        "conversation compacted",
        "the provider says: tools changed",
        "the file does not show what changed",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn a_conversation_that_was_copied_counts_once() {
    TERSELY.file("audit/copied/a.jsonl", history("s1", "Read"));
    let longer = history("s1", "Read") + &history("s2", "Read");
    let folder = TERSELY.file("audit/copied/b.jsonl", longer);
    let folder = folder.trim_end_matches("/b.jsonl");
    assert_eq!(audit(folder)["total"]["requests"], json!(2 * REQUESTS));
}

#[test]
fn what_cannot_be_read_is_counted_and_the_rest_is_audited() {
    let broken = [
        "{\"type\":\"assistant\",\"mess",
        "[1,2,3]",
        "\"text\"",
        "{\"type\":[],\"message\":7,\"sessionId\":{}}",
        "{\"type\":\"assistant\",\"sessionId\":\"s\",\"message\":{\"id\":5,\"content\":\"x\",\"usage\":[]}}",
    ];
    let text = broken.join("\n") + "\n" + &history("s1", "Read") + "{\"cut";
    let mut bytes = text.into_bytes();
    bytes.extend(b"\n\xff\xfe\n");
    let file = TERSELY.file("audit/broken/one.jsonl", bytes);
    TERSELY.file("audit/broken/other.json", "{\"name\":\"package\"}");
    TERSELY.file("audit/broken/empty.jsonl", "");
    let folder = file.trim_end_matches("/one.jsonl");
    #[cfg(unix)]
    let _ = std::os::unix::fs::symlink(folder, format!("{folder}/loop"));
    let audit = audit(folder);
    assert_eq!(audit["total"]["requests"], json!(REQUESTS));
    assert_eq!(audit["unread"]["lines"], json!(5), "{}", audit["unread"]);
    assert_eq!(audit["unread"]["foreign_files"], json!(2), "{}", audit["unread"]);
}

#[test]
fn a_line_without_end_takes_no_more_room_than_others() {
    let long = "x".repeat(70 << 20);
    let file =
        TERSELY.file("audit/long/one.jsonl", format!("{{\"text\":\"{long}\"}}\n{}", history("s1", "Read")));
    let audit = audit(&file);
    assert_eq!((&audit["total"]["requests"], &audit["unread"]["lines"]), (&json!(REQUESTS), &json!(1)));
}

#[test]
fn the_page_needs_nothing_else_and_holds_no_tag_of_a_history() {
    let file = TERSELY.file("audit/page/one.jsonl", history("s1", "Read"));
    let page = file.replace("one.jsonl", "report.html");
    let ran = TERSELY.run(&format!("audit {file} --html {page}"), "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("1 conversation, 5 requests: $"), "{}", ran.stdout);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("&lt;b&gt;0.rs") && !page.contains("<b>0.rs"));
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
}

#[test]
fn where_there_is_nothing_it_says_what_to_do() {
    let file = TERSELY.file("audit/none/other.json", "{}");
    TERSELY.check(
        &format!("audit {file}"),
        "",
        ("", 2),
        &["no conversations found in these files or folders", "hint: name files or folders"],
    );
    TERSELY.check("audit no-such-folder", "", ("", 2), &["no-such-folder", "hint: "]);
}

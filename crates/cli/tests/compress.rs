//! Tests the `tersely compress` command.

use std::process::Command;

use serde_json::{Value, json};
use tersely_testing::run::BuiltBinary;

const TERSELY: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely"), place: env!("CARGO_TARGET_TMPDIR") };

/// Twenty records, pretty-printed as many programs do.
fn records() -> String {
    let rows: Vec<String> = (0..20)
        .map(|n| format!("  {{\n    \"id\": {n},\n    \"kind\": \"fruit\",\n    \"ripe\": null\n  }}"))
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

#[test]
fn what_was_not_lost_comes_back_byte_for_byte() {
    let numbered = (1..30).map(|n| format!("{n:>6}\tlet x = {n};\n")).collect::<Vec<_>>().concat();
    for text in [
        records(),
        numbered,
        "plain words\r\nand no end".to_owned(),
        "name: x\nkind: y\n".to_owned(),
        "{\"a\" : 1}".to_owned(),
        "{a: 1}\n".to_owned(),
        "{id:ch_1,object:charge}".to_owned(),
        "2 records\n{a:1}\n{a:2}".to_owned(),
        "[2]{a,b}:\n  1,x\n  2,y\n".to_owned(),
        "2 records\n{a:1}\n{a:2}\n[layout1 json: compact]".to_owned(),
        "[terse1 json: compact]\n2 records\n{a:1}\n{a:2}".to_owned(),
        "2 records\n{a:1}\n{a:2}\r\n".to_owned(),
        "2 records\n{a:1}\n{a:2}\n\n".to_owned(),
        "[terse999999999 a]\n".to_owned(),
        "a\n[layout999999999 b]\n".to_owned(),
        String::new(),
        "\n".to_owned(),
        "  \n".to_owned(),
        " \t\r\n\n".to_owned(),
        "\u{feff}a text with a byte order mark\n".to_owned(),
    ] {
        let sent = TERSELY.run("compress --loss none", &text);
        assert_eq!(sent.code, Some(0), "{}", sent.stderr);
        assert_eq!(TERSELY.run("decode", &sent.stdout).stdout, text, "sent: {}", sent.stdout);
    }
}

/// Behaviour 19.2 and 19.3.
#[test]
fn a_model_that_is_named_tells_who_reads() {
    let row = |n: usize| format!("-rw-r--r-- 1 dev dev {:>4} Mar  2 10:04 chapter-{n}.md\n", n * 37);
    let listing: String = (1..40).map(row).collect();
    for (args, is_kept) in [
        ("--model qwen2.5-coder:7b", true),
        ("--model gpt-5", false),
        ("", false),
        ("--reader small", true),
        ("--model qwen2.5-coder:7b --reader strong", false),
    ] {
        let ran = TERSELY.run(&format!("compress {args}"), &listing);
        assert_eq!((ran.code, ran.stdout == listing), (Some(0), is_kept), "{args}: {}", ran.stderr);
    }
    assert_eq!(TERSELY.run("compress --reader tiny", &listing).code, Some(2));
}

#[test]
fn changes_are_explained() {
    let ran = TERSELY.run("compress --explain", records());
    assert!(ran.stderr.starts_with("stage  before  after   saved  loss\njson "), "{}", ran.stderr);
    assert!(ran.stderr.trim_end().ends_with("none"), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("20 rows\n"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n[layout1 json: indent 2, newline]"), "{}", ran.stdout);
}

/// Input that is not text passes unchanged: a pipe must not swallow its input.
#[test]
fn bytes_that_are_no_text_are_passed_on() {
    let latin = TERSELY.file("compress/latin.txt", b"caf\xe9 closed\n");
    let ran = Command::new(env!("CARGO_BIN_EXE_tersely")).args(["compress", &latin]).output().unwrap();
    assert_eq!((ran.status.code(), ran.stdout.as_slice()), (Some(0), &b"caf\xe9 closed\n"[..]));
    let said = format!("note: {latin}: not UTF-8 at byte 3; passed through unchanged\n");
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), said);
    TERSELY.check("compress --json", b"\xe9", ("", 2), &["not UTF-8"]);
}

#[test]
fn disabled_changes_nothing() {
    TERSELY.check("compress --mode off", records(), (&records(), 0), &[]);
}

#[test]
fn scripts_get_one_object() {
    let file = TERSELY.file("compress/records.json", records());
    let ran = TERSELY.run(&format!("compress --json {file}"), "");
    let object: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(object["after"].as_u64() < object["before"].as_u64());
    assert_eq!(object["steps"][0]["stage"], "json");
    assert_eq!(object["loss"], "none");
}

#[test]
fn wrong_words_are_refused() {
    TERSELY.check(
        "compress --mode more",
        "x",
        ("", 2),
        &["unknown mode", "disabled, observe, safe, standard or aggressive"],
    );
    TERSELY.check("compress --loss some", "x", ("", 2), &["unknown loss"]);
}

/// Behaviour 0.11, 14.1: secrets are masked on request; masks count neither as loss nor as savings.
#[test]
fn secrets_are_masked_and_counted_when_asked_for() {
    let key = ["AKIA", "Q3EGRIZ7", "HVLXTNWK"].concat();
    let text = format!("AWS_ACCESS_KEY_ID={key}\nregion=eu-west-1\n");
    assert_eq!(TERSELY.run("compress", text.clone()).stdout, text);
    let ran = TERSELY.run("compress --redact-secrets --loss none --explain", text.clone());
    assert_eq!(ran.stdout, "AWS_ACCESS_KEY_ID=[REDACTED_SECRET]\nregion=eu-west-1\n");
    assert!(ran.stderr.contains("secrets masked: 1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("0.0 %") && ran.stderr.contains("masked"), "{}", ran.stderr);
    let told: Value =
        serde_json::from_str(&TERSELY.run("compress --redact-secrets --loss none --json", text).stdout)
            .unwrap();
    assert_eq!((&told["loss"], &told["redacted"]), (&json!("masked"), &json!(1)));
    assert_eq!(told["before"], told["after"]);
}

#[test]
fn a_profile_stands_where_a_mode_does() {
    TERSELY.check("compress --mode standard@1", "x", ("x", 0), &[]);
    let said = "unknown profile \"standard@2\"; use safe@1, standard@1, aggressive@1";
    TERSELY.check("compress --mode standard@2", "x", ("", 2), &[said]);
}

//! Tests the `tersely-bench` command.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use serde_json::Value;
use tersely_testing::run::BuiltBinary;

const BENCH: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely-bench"), place: env!("CARGO_TARGET_TMPDIR") };

/// A corpus of two JSON documents and one other file.
fn corpus(name: &str) -> String {
    let row = |id: usize| format!("{{ \"id\": {id}, \"kind\": \"a kind of thing\" }}");
    let rows: Vec<String> = (0..50).map(row).collect();
    BENCH.file(&format!("{name}/outputs/json-api/lines.ndjson"), "{}\n{}\n");
    BENCH.file(&format!("{name}/outputs/json-api/one.json"), "{ \"a\": 1.50 }\n");
    let rows =
        BENCH.file(&format!("{name}/outputs/json-rows/rows.json"), format!("[{}]", rows.join(",\n  ")));
    rows.strip_suffix("/outputs/json-rows/rows.json").expect("the corpus").to_owned()
}

#[test]
fn a_page_fits_a_hundred_columns_and_holds_every_file() {
    let ran = BENCH.run(&format!("forms --seconds 0 {}", corpus("page")), "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout);
    for words in [
        "one.json",
        "rows.json",
        "total",
        "median saved",
        "files that cost more than compact JSON (law: 0) 0",
        "files that do not decode exactly (law: 0)       0",
        "2 files, 1 skipped (not one JSON document)\n  lines.ndjson",
        "parse: JSON to serde_json::Value",
    ] {
        assert!(ran.stdout.contains(words), "{words} is missing: {}", ran.stdout);
    }
}

#[test]
fn scripts_get_one_object() {
    let ran = BENCH.run(&format!("forms --json --seconds 0 {}", corpus("script")), "");
    let object: Value = serde_json::from_str(&ran.stdout).expect("an object");
    assert_eq!(object["files"].as_array().map(Vec::len), Some(2));
    assert_eq!(object["skipped"], serde_json::json!(["lines.ndjson"]));
    assert_eq!(object["files"][0]["file"], "one.json");
    assert_eq!(object["files"][0]["cost"]["toon"], Value::Null, "1.50 is not 1.5");
    assert_eq!(object["above_compact"], serde_json::json!([]));
    assert_eq!(object["inexact"], serde_json::json!([]));
    let sum = |name: &str| {
        object["files"].as_array().expect("files").iter().map(|it| it["cost"][name].as_u64()).sum()
    };
    for name in ["sent", "compact", "auto"] {
        let sum: Option<u64> = sum(name);
        assert_eq!(object["total"][name].as_u64(), sum, "{name}");
    }
    for task in ["auto", "decode", "parse", "serde_json", "jiter"] {
        assert!(object["megabytes_per_second"][task]["sent"].as_f64() > Some(0.0), "{task}");
    }
}

#[test]
fn a_directory_without_a_corpus_is_said_in_a_line() {
    BENCH.check("forms no-such", "", ("", 2), &["no-such: no JSON documents", "hint: name the directory"]);
    BENCH.check("", "", ("", 2), &["no corpus was named"]);
    BENCH.check("forms", "", ("", 2), &["<DIR>"]);
}

#[test]
fn families_are_measured_in_every_mode() {
    let dir = corpus("families");
    let question = r#"{"file":"outputs/json-rows/rows.json","needles":["a kind of thing"]}"#;
    BENCH.file("families/QUESTIONS.jsonl", question);
    let ran = BENCH.run(&dir, "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for words in
        ["\njson-api            2 ", "\njson-rows           1 ", "1/1/1/1", "\ntotal               3 "]
    {
        assert!(ran.stdout.contains(words), "{words} is missing: {}", ran.stdout);
    }
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout);
    let ran = BENCH.run(&format!("--json {dir}"), "");
    let object: Value = serde_json::from_str(&ran.stdout).expect("an object");
    assert_eq!(object["total"]["files"], 3);
    assert!(object["families"]["json-rows"]["standard"]["saved"].as_f64() > Some(30.0), "{object}");
    assert_eq!(object["broken"], serde_json::json!([]));
    assert_eq!(object["files"].as_array().map(Vec::len), Some(3));
}

/// Rows printed by a query, and the same rows as a file that an agent may edit.
fn called(name: &str) -> String {
    let row = |id: usize| format!("{{ \"id\": {id}, \"kind\": \"a kind of thing\" }}");
    let rows: Vec<String> = (0..50).map(row).collect();
    let rows = format!("[{}]", rows.join(",\n  "));
    BENCH.file(&format!("{name}/outputs/json-rows/query.json"), &rows);
    let calls = r#"{"path":"outputs/json-rows/query.json","tool":"Bash","command":"psql -c 'select * from kinds'"}
{"path":"outputs/json-rows/read.json","tool":"Read","command":"kinds.json"}
"#;
    BENCH.file(&format!("{name}/commands.jsonl"), calls);
    let file = BENCH.file(&format!("{name}/outputs/json-rows/read.json"), &rows);
    file.strip_suffix("/outputs/json-rows/read.json").expect("the corpus").to_owned()
}

/// Behaviour 16.7: each result is measured with its call, and the totals show what calls change.
#[test]
fn results_are_measured_with_their_calls() {
    let dir = called("calls");
    let ran = BENCH.run(&dir, "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for words in ["\nreads left out      1 ", "\nwithout calls       2 ", "without calls 0\n"] {
        assert!(ran.stdout.contains(words), "{words:?} is missing: {}", ran.stdout);
    }
    let object: Value =
        serde_json::from_str(&BENCH.run(&format!("--json {dir}"), "").stdout).expect("an object");
    let saved = |sum: &str| object[sum]["standard"]["saved"].as_f64().expect("percent");
    assert!(saved("without_calls") > 30.0, "{object}");
    assert!((saved("without_calls") - saved("reads_left_out")).abs() < 0.1, "{object}");
    assert!((saved("total") * 2.0 - saved("without_calls")).abs() < 0.1, "a read stays as it is: {object}");
    let listed = BENCH.run(&format!("--files {dir}"), "").stdout;
    let line = |file: &str| listed.lines().find(|line| line.contains(file)).expect(file).to_owned();
    assert!(line("query.json").contains("json"), "{listed}");
    assert!(line("read.json").split_whitespace().any(|word| word == "-"), "{listed}");
}

/// A corpus with a transcript of three turns for each provider, and one other file.
fn transcripts(name: &str) -> String {
    let row = |id: usize| serde_json::json!({ "id": id, "kind": "a kind of thing", "ripe": null });
    let rows = |from: usize| Value::from((from..from + 60).map(row).collect::<Vec<_>>()).to_string();
    let question = serde_json::json!({ "role": "user", "content": "What is there? ".repeat(300) });
    let answer = serde_json::json!({ "role": "assistant", "content": "Done." });
    let asks = |id: &str| {
        let call = serde_json::json!({ "type": "tool_use", "id": id, "name": "list", "input": {} });
        serde_json::json!({ "role": "assistant", "content": [call] })
    };
    let gets = |id: &str, from| {
        let result = serde_json::json!({ "type": "tool_result", "tool_use_id": id, "content": rows(from) });
        serde_json::json!({ "role": "user", "content": [result] })
    };
    let calls = |id: &str| {
        let function = serde_json::json!({ "name": "list", "arguments": "{}" });
        serde_json::json!({ "role": "assistant", "tool_calls": [{ "id": id, "type": "function", "function": function }] })
    };
    let told =
        |id: &str, from| serde_json::json!({ "role": "tool", "tool_call_id": id, "content": rows(from) });
    let one = [&question, &asks("a"), &gets("a", 0), &asks("b"), &gets("b", 70), &answer].map(Value::clone);
    let two = [&question, &calls("a"), &told("a", 0), &calls("b"), &told("b", 70), &answer].map(Value::clone);
    let body = |messages: &[Value]| {
        serde_json::json!({ "model": "m", "messages": messages, "tools": [{ "name": "list" }] }).to_string()
    };
    BENCH.file(&format!("{name}/conversations/two.openai.json"), body(&two));
    BENCH.file(&format!("{name}/conversations/three.other.json"), "{}");
    let one = BENCH.file(&format!("{name}/conversations/one.anthropic.json"), body(&one));
    one.strip_suffix("/conversations/one.anthropic.json").expect("the corpus").to_owned()
}

#[test]
fn transcripts_are_replayed_turn_by_turn() {
    let dir = transcripts("transcripts");
    let ran = BENCH.run(&format!("conversations {dir}"), "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout);
    for words in [
        "\none  ",
        "\ntwo  ",
        "\ntotal  ",
        "\nmedian  ",
        "\nother agents            2 ",
        "added tool, of the bill in standard mode ",
        "Claude Code 2.1.197 ",
        "transcripts that cost more than direct (law: 0)     0",
        "transcripts that change what was sent (law: 0)      0",
        "  in the latest read of the file (law: 95 %)          0 (0.0 %), 0 (0.0 %)",
        "transcripts 2, requests 6",
        "skipped, not a transcript: three.other.json",
    ] {
        assert!(ran.stdout.contains(words), "{words} is missing: {}", ran.stdout);
    }
}

#[test]
fn scripts_get_the_bill_of_every_transcript() {
    let ran = BENCH.run(&format!("conversations --json {}", transcripts("bills")), "");
    let object: Value = serde_json::from_str(&ran.stdout).expect("an object");
    for name in ["one", "two"] {
        let it = &object["transcripts"][name];
        assert!(it["tool_results"]["exact_saved"].as_f64() > Some(30.0), "{it}");
        assert!(it["bill"]["exact_saved"].as_f64() > Some(5.0), "{it}");
        assert!(it["stages"]["exact"]["json"].as_i64() > Some(0), "{it}");
        assert_eq!((&it["dearer"], &it["changed"]), (&Value::Bool(false), &Value::from(0)));
    }
    let total = &object["total"];
    let bill = |name: &str| object["transcripts"][name]["bill"]["direct"].as_u64().expect("a bill");
    assert_eq!(total["bill"]["direct"].as_u64(), Some(bill("one") + bill("two")), "{object}");
    assert!(bill("two") < bill("one"), "OpenAI writes to its cache for nothing: {object}");
    assert!(total["output"].as_u64() > Some(0) && total["even"]["exact"].as_f64() > Some(0.0), "{total}");
    assert_eq!(total["quartiles"]["bill"]["exact"].as_array().map(Vec::len), Some(3));
    assert_eq!(object["clients"]["other agents"]["transcripts"], 2);
    assert_eq!(
        (&total["tool"], &object["offered"]),
        (&Value::from(0), &serde_json::json!([])),
        "short heads"
    );
    let always = BENCH.run(&format!("conversations --json --expand always {}", transcripts("always")), "");
    let always: Value = serde_json::from_str(&always.stdout).expect("an object");
    assert_eq!(always["offered"], serde_json::json!(["one", "two"]));
    assert!(always["total"]["tool"].as_u64() > Some(0), "{always}");
    BENCH.check(
        "conversations no-such",
        "",
        ("", 2),
        &["no-such: no transcripts", "hint: name the directory"],
    );
}

#[test]
fn a_corpus_must_be_named() {
    BENCH.check("", "", ("", 2), &["no corpus was named", "hint: "]);
}

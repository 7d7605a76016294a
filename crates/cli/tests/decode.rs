//! Tests the `tersely decode` command.

use serde_json::{Value, json};
use tersely_testing::run::BuiltBinary;

const TERSELY: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely"), place: env!("CARGO_TARGET_TMPDIR") };

#[test]
fn the_form_is_found() {
    for (text, json) in [
        ("{a : 1.0}", "{\"a\":1.0}"),
        ("[2]{a,b}: 1,\"x\" / 2,\"y\"", "[{\"a\":1,\"b\":\"x\"},{\"a\":2,\"b\":\"y\"}]"),
        ("[2]{a,b}:\n  1,x\n  2,y", "[{\"a\":1,\"b\":\"x\"},{\"a\":2,\"b\":\"y\"}]"),
        ("a: 1\nb: 2 records\n{c:x}\n{c:y}", "{\"a\":1,\"b\":[{\"c\":\"x\"},{\"c\":\"y\"}]}"),
        ("{id:ch_1,object:charge}", "{\"id\":\"ch_1\",\"object\":\"charge\"}"),
    ] {
        for end in ["", "\n", "\r\n"] {
            TERSELY.check("decode", format!("{text}{end}"), (&format!("{json}\n"), 0), &[]);
        }
        let file = TERSELY.file("decode/found.txt", text);
        TERSELY.check(&format!("decode {file}"), "", (&format!("{json}\n"), 0), &[]);
    }
}

#[test]
fn json_comes_back_as_it_was() {
    for text in ["{\"a\" : 1.0}\n", "\"x\"", "[\n 1\n]\n"] {
        TERSELY.check("decode", text, (text, 0), &[]);
    }
}

#[test]
fn a_named_form_is_taken_at_its_word() {
    TERSELY.check("decode --form toon", "hello", ("\"hello\"\n", 0), &[]);
    TERSELY.check("decode --form toon", "\n", ("{}\n", 0), &[]);
    TERSELY.check("decode --form stc", "{a: 1}", ("{\"a\":1}\n", 0), &[]);
    TERSELY.check("decode --form json", "{a: 1}", ("", 1), &["<stdin>: line 1, column 2", "not json"]);
}

#[test]
fn what_no_form_reads_for_certain_comes_back_as_it_was() {
    for text in [
        "{\"a\":1,}",
        "[1,2",
        "{\"a\":1}\n{\"a\":2}",
        "\u{feff}{}",
        "hello world",
        "# Title\n\nsome words, more words\n",
        "name: x\nkind:\n  y: z\n",
    ] {
        TERSELY.check("decode", text, (text, 0), &["note: <stdin>: not in a known form; printed unchanged"]);
    }
}

/// A text that `compress` left unchanged is not an error, and the form can be named explicitly.
#[test]
fn a_text_in_no_form_comes_back_with_a_line() {
    let broken = TERSELY.file("decode/broken.txt", "{\"a\":1,}");
    let ran = TERSELY.run(&format!("decode {broken}"), "");
    assert_eq!(ran.stderr, format!("note: {broken}: not in a known form; printed unchanged\n"));
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "{\"a\":1,}"));
    let named = format!("decode --form json {broken}");
    TERSELY.check(&named, "", ("", 1), &["line 1, column 8: expected a key in quotes, found '}'"]);
}

#[test]
fn a_damaged_mark_is_a_fault() {
    TERSELY.check(
        "decode",
        "2 records\n{a:1}\n[layout1 json: compact]",
        ("", 1),
        &["marked as compressed", "hint: "],
    );
    TERSELY.check("decode", "x\n[layout1 nothing]", ("", 1), &["marked as compressed"]);
}

/// Behaviour 1.15: the command restores the same values as the packages.
#[test]
fn the_vectors_of_layouts_hold() -> serde_json::Result<()> {
    let vectors: Value = serde_json::from_str(include_str!("../../../spec/vectors/layout.json"))?;
    for vector in restored(&vectors) {
        let found: Value = serde_json::from_str(text_of(&vector, "original"))?;
        let expected: Value = serde_json::from_str(text_of(&vector, "json"))?;
        assert_eq!(found, expected, "{}", vector["name"]);
    }
    for vector in section(&vectors, "program_only") {
        let ran = TERSELY.run("decode", text_of(&vector, "text"));
        assert!(ran.code == Some(0) && ran.stdout != vector["text"], "{}: {ran:?}", vector["name"]);
    }
    Ok(())
}

/// Behaviour 1.15, 3.24.
#[test]
fn the_vectors_of_the_general_form_hold() -> serde_json::Result<()> {
    restored(&serde_json::from_str(include_str!("../../../spec/vectors/general.json"))?);
    Ok(())
}

/// Restores the accepted vectors; asserts that the rejected ones fail.
fn restored(vectors: &Value) -> Vec<Value> {
    let accepted = section(vectors, "accept");
    assert!(!accepted.is_empty());
    for vector in &accepted {
        let ran = TERSELY.run("decode", text_of(vector, "text"));
        assert_eq!(ran.stdout, text_of(vector, "original"), "{}", vector["name"]);
    }
    for vector in section(vectors, "reject") {
        assert_eq!(TERSELY.run("decode", text_of(&vector, "text")).code, Some(1), "{}", vector["name"]);
    }
    accepted
}

fn section(vectors: &Value, name: &str) -> Vec<Value> {
    vectors[name].as_array().cloned().unwrap_or_default()
}

fn text_of<'v>(vector: &'v Value, member: &str) -> &'v str {
    vector[member].as_str().unwrap_or_default()
}

/// `compress` leaves white space unchanged.
#[test]
fn white_space_comes_back_as_it_was() {
    for text in ["", "\n", "  \n", " \t\r\n\n", "\u{a0}"] {
        let ran = TERSELY.run("decode", text);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), text, ""));
    }
}

#[test]
fn what_cannot_be_read_is_said_in_a_line() {
    TERSELY.check("decode --form json", "", ("", 2), &["<stdin>: empty input"]);
    TERSELY.check("decode", b"\xff\xfe", ("", 2), &["<stdin>: not UTF-8 at byte 0"]);
    TERSELY.check("decode no-such.txt", "", ("", 2), &["no-such.txt: no such file"]);
    TERSELY.check("decode --form auto", "{}", ("", 2), &["possible values: json, stc, toon, terse"]);
}

/// A Messages body in which a file is read, changed in one place and read again.
fn read_again() -> String {
    let lines = |word: &str| -> Vec<String> {
        (1..160).map(|n| format!("{n}\tlet line_{n} = {};", if n == 80 { word } else { "plain" })).collect()
    };
    let texts = [lines("old").join("\n"), lines("new").join("\n")];
    let results = texts.iter().enumerate().map(|(at, text)| {
        let input = json!({"file_path": "src/a.rs"});
        let call = json!({"type": "tool_use", "id": format!("call_{at}"), "name": "Read", "input": input});
        let result = json!({"type": "tool_result", "tool_use_id": format!("call_{at}"), "content": text});
        json!([{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}])
    });
    let messages: Vec<_> = results.flat_map(|pair| pair.as_array().cloned().unwrap_or_default()).collect();
    format!("{{ \"messages\" : {},\"n\":1.0}}\n", json!(messages))
}

#[test]
fn a_body_comes_back_byte_for_byte() {
    let body = read_again();
    let sent = TERSELY.run("compress --body --loss none", &body);
    assert!(
        sent.stdout
            .contains("[lines 1-74: same as in src/a.rs as last read in full above]\\n75\\tlet line_75 "),
        "{}",
        sent.stdout
    );
    assert!(sent.stdout.contains("80\\tlet line_80 = new;"), "{}", sent.stdout);
    assert!(sent.stdout.len() * 3 < body.len() * 2);
    TERSELY.check("decode --body", &sent.stdout, (&body, 0), &[]);
    TERSELY.check("decode --body --provider anthropic", &sent.stdout, (&body, 0), &[]);
}

#[test]
fn a_body_without_results_comes_back_as_it_is() {
    let plain = r#"{"messages":[{"role":"user","content":"hello"}]}"#;
    TERSELY.check("decode --body", plain, (plain, 0), &["no tool results; printed unchanged"]);
}

#[test]
fn a_body_that_does_not_read_is_a_fault() {
    let sent = TERSELY.run("compress --body --loss none", read_again()).stdout;
    let said = ["<stdin>: byte ", "this result is marked as compressed", "hint: "];
    TERSELY.check("decode --body", sent.replace("in src/a.rs as", "in src/b.rs as"), ("", 1), &said);
    TERSELY.check("decode --body", sent.replace("[lines 1-74:", "[lines 1-7400:"), ("", 1), &said);
    TERSELY.check("decode --body --provider chat", "[", ("", 1), &["<stdin>: byte "]);
    TERSELY.check("decode --body --form json", "{}", ("", 2), &["--form"]);
}

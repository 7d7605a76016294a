//! Tests the `tersely encode` command.

use serde_json::Value;
use tersely_testing::run::BuiltBinary;

const TERSELY: BuiltBinary =
    BuiltBinary { path: env!("CARGO_BIN_EXE_tersely"), place: env!("CARGO_TARGET_TMPDIR") };

const DOCUMENTS: [&str; 7] = [
    "{}",
    "[]",
    r#""x\ny""#,
    "-0.0",
    r#"{"b":1.0,"a":1E5,"b":-0}"#,
    r#"[{"id":1,"name":"a b","ok":true},{"id":2,"name":"c,d","ok":false},{"id":3,"name":"","ok":null}]"#,
    r#"{"items":[{"url":"https://x/1"},{"url":"https://x/2"}],"next":"\ud800"}"#,
];

#[test]
fn every_form_comes_back_as_the_same_json() {
    for form in ["auto", "terse", "stc", "toon", "json"] {
        for document in DOCUMENTS {
            let encoded = TERSELY.run(&format!("encode --form {form}"), document);
            if form == "toon" && encoded.code == Some(1) {
                continue;
            }
            assert_eq!(encoded.code, Some(0), "{form} {document}: {}", encoded.stderr);
            let named = if form == "auto" { String::new() } else { format!("--form {form}") };
            TERSELY.check(&format!("decode {named}"), encoded.stdout, (&format!("{document}\n"), 0), &[]);
        }
    }
}

#[test]
fn auto_is_the_default_and_its_form_is_found_again() {
    for document in DOCUMENTS {
        let encoded = TERSELY.run("encode", document);
        assert_eq!(encoded.stdout, TERSELY.run("encode --form auto -", document).stdout);
        TERSELY.check("decode", encoded.stdout, (&format!("{document}\n"), 0), &[]);
    }
}

#[test]
fn json_loses_only_white_space() {
    let file = TERSELY.file("encode/spaced.json", "{ \"b\" : 1.0,\n  \"a\" : [ ] }\n");
    TERSELY.check(&format!("encode --form json {file}"), "", ("{\"b\":1.0,\"a\":[]}\n", 0), &[]);
}

#[test]
fn stats_go_to_stderr_with_a_row_for_each_form() {
    let ran = TERSELY.run("encode --form json --stats", "[1.0]");
    assert_eq!(ran.stdout, "[1.0]\n");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 6, "{}", ran.stderr);
    for (line, start) in lines.iter().zip(["form", "as sent", "json", "stc", "toon", "terse"]) {
        assert!(line.starts_with(start), "{line} should start with {start}");
    }
    assert!(lines[2].ends_with("<- written"), "{}", lines[2]);
    assert!(lines[4].ends_with("cannot represent this value exactly"), "{}", lines[4]);
}

#[test]
fn scripts_get_one_object() {
    let ran = TERSELY.run("encode --json --form stc", "[ 1.0 ]");
    let object: Value = serde_json::from_str(&ran.stdout).expect("an object");
    assert_eq!(object["form"], "stc");
    assert_eq!(object["text"], "[1]: 1.0");
    assert_eq!(object["tokens"]["toon"], Value::Null);
    let keys: Vec<&String> = object["tokens"].as_object().expect("tokens").keys().collect();
    assert_eq!(keys, ["sent", "json", "stc", "toon", "terse"]);
    let tokens = |name: &str| object["tokens"][name].as_f64().expect("a number");
    let saved = 100.0 - 100.0 * tokens("stc") / tokens("sent");
    assert!((object["saved"].as_f64().expect("a number") - saved).abs() < 0.051, "{object}");
}

#[test]
fn auto_never_costs_more_than_compact_json() {
    for document in DOCUMENTS {
        let object: Value =
            serde_json::from_str(&TERSELY.run("encode --json", document).stdout).expect("an object");
        let chosen = object["form"].as_str().expect("a form");
        let tokens = |name: &str| object["tokens"][name].as_u64().expect("a count");
        assert!(tokens(chosen) <= tokens("json"), "{object}");
    }
}

#[test]
fn what_cannot_be_encoded_is_said_with_the_place() {
    let broken = TERSELY.file("encode/broken.json", "{\"a\":1,}");
    let place = format!("{broken}: line 1, column 8: expected a key in quotes, found '}}'");
    TERSELY.check(&format!("encode {broken}"), "", ("", 1), &[&place, "hint: "]);
    TERSELY.check("encode", "{}\n{}", ("", 1), &["<stdin>: line 2, column 1", "jq -s"]);
    TERSELY.check("encode", "\u{feff}{}", ("", 1), &["<stdin>: line 1, column 1", "byte order mark"]);
    TERSELY.check(
        "encode --form toon",
        "[1.0]",
        ("", 1),
        &["toon cannot represent this value exactly", "omit --form"],
    );
}

#[test]
fn what_cannot_be_read_is_said_in_a_line() {
    let latin = TERSELY.file("encode/latin.json", b"\"caf\xe9\"");
    let directory = env!("CARGO_TARGET_TMPDIR");
    TERSELY.check(
        "encode no-such.json",
        "",
        ("", 2),
        &["no-such.json: no such file", "hint: check the path"],
    );
    TERSELY.check(&format!("encode {directory}"), "", ("", 2), &["is a directory", "hint: name a file"]);
    TERSELY.check(&format!("encode {latin}"), "", ("", 2), &["not UTF-8 at byte 4", "iconv"]);
    TERSELY.check("encode", "", ("", 2), &["<stdin>: empty input", "pipe text in"]);
    TERSELY.check("encode", " \n", ("", 2), &["<stdin>: empty input"]);
    TERSELY.check("encode --form yaml", "{}", ("", 2), &["possible values: auto, json, stc, toon, terse"]);
    TERSELY.check("encode a b", "", ("", 2), &["unexpected argument 'b'"]);
}

#[test]
fn help_has_examples_and_fits_the_page() {
    for command in ["", "run", "serve", "doctor", "encode", "decode", "count", "config"] {
        let ran = TERSELY.run(&format!("{command} --help"), "");
        assert_eq!(ran.code, Some(0), "{command}");
        assert!(ran.stdout.contains("Example"), "{command} shows no example: {}", ran.stdout);
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout);
        assert!(!ran.stdout.contains('\u{1b}'), "colour without a terminal");
    }
    TERSELY.check("--version", "", (concat!("tersely ", env!("CARGO_PKG_VERSION"), "\n"), 0), &[]);
}

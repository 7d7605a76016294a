//! Checks the terse codec with its vectors and hostile input.
//!
//! `TERSELY_BLESS=1` rewrites the texts of the accepted vectors.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::path::PathBuf;
use std::{env, fs};

use serde_json::{Value as Vectors, json};
use tersely_codec::terse::{decode, encode};
use tersely_codec::{Form, Value, detect, json as plain};

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors/terse.json")
}

fn vectors() -> Vectors {
    serde_json::from_str(&fs::read_to_string(file()).expect("the vectors")).expect("JSON")
}

fn text<'v>(vector: &'v Vectors, member: &str) -> &'v str {
    vector[member].as_str().expect(member)
}

fn cases<'v>(all: &'v Vectors, section: &str) -> &'v Vec<Vectors> {
    let cases = all[section].as_array().expect("a section");
    assert!(!cases.is_empty());
    cases
}

fn read(json: &str) -> Value<'_> {
    plain::decode(json).expect(json)
}

/// The compact JSON that a terse text stands for, or the message of its fault.
fn to_json(terse: &str) -> Result<String, String> {
    decode(terse).map(|value| plain::encode(&value)).map_err(|error| error.to_string())
}

/// Each vector encodes to its text, and the text decodes to its JSON.
#[test]
fn accepted_vectors_hold_both_ways() {
    let mut all = vectors();
    if env::var_os("TERSELY_BLESS").is_some() {
        for vector in all["accept"].as_array_mut().expect("a section") {
            vector["terse"] = json!(encode(&read(text(vector, "json"))));
        }
        fs::write(file(), print(&all)).expect("the vectors");
    }
    for vector in cases(&all, "accept") {
        let (name, json, terse) = (text(vector, "name"), text(vector, "json"), text(vector, "terse"));
        assert_eq!(encode(&read(json)).as_deref(), Some(terse), "{name}");
        assert_eq!(to_json(terse), Ok(json.to_owned()), "{name}");
    }
}

/// A line about every row is valid for every row.
#[test]
fn what_is_said_of_every_row_is_true_of_every_row() {
    let row = |n: usize| match n % 4 {
        1 => format!(r#"{{"id":{n},"kind":"log","text":"line {n}"}}"#),
        _ => format!(
            r#"{{"id":{n},"kind":"call","req":{{"method":"get","host":"shelf.example","path":"/p{n}","status":{}}}}}"#,
            if n == 6 { 500 } else { 200 }
        ),
    };
    let rows: Vec<String> = (0..20).map(row).collect();
    let json = format!("[{}]", rows.join(","));
    let terse = encode(&read(&json)).expect("a list");
    assert!(terse.contains("\nevery row that has req: req.method=get, req.host=shelf.example\n"), "{terse}");
    assert!(terse.contains("\nunless given, where there is req: req.status=200\n"), "{terse}");
    assert!(!terse.contains("\nevery row: "), "{terse}");
    assert_eq!(to_json(&terse), Ok(json));
}

/// The decoder also reads what the encoder would not write.
#[test]
fn decode_only_vectors_hold() {
    for vector in cases(&vectors(), "decode_only") {
        let (name, json, terse) = (text(vector, "name"), text(vector, "json"), text(vector, "terse"));
        assert_eq!(to_json(terse), Ok(json.to_owned()), "{name}");
        assert_ne!(encode(&read(json)).as_deref(), Some(terse), "{name}");
    }
}

/// Nothing is repaired.
#[test]
fn rejected_vectors_are_rejected() {
    for vector in cases(&vectors(), "reject") {
        let terse = text(vector, "terse");
        assert!(decode(terse).is_err(), "{}: {terse}", text(vector, "name"));
    }
}

/// The vectors show every word of the form, whatever the encoder's choices become.
#[test]
fn vectors_show_every_word() {
    let all = vectors();
    let texts: Vec<_> = cases(&all, "accept").iter().map(|vector| text(vector, "terse")).collect();
    for word in [
        " rows\n",
        " records\n",
        " keyed rows\nkey: ",
        " keyed records\n",
        " items\nitem 1: ",
        "\nfields: ",
        "\nfields of ",
        ": in alphabetical order\n",
        "\nevery row: ",
        "\nevery record: ",
        "\nunless given: ",
        "\nunless given, ",
        " = https://",
        ": each begins with ",
        "[(",
        ":\n ",
    ] {
        assert!(texts.iter().any(|text| text.contains(word)), "{word:?}");
    }
}

/// A text of unknown form is told from JSON and STC.
#[test]
fn lists_are_detected() {
    for vector in cases(&vectors(), "accept") {
        let terse = text(vector, "terse");
        if terse.contains('\n') {
            assert_eq!(detect(terse).map(|(form, _)| form), Some(Form::Terse), "{}", text(vector, "name"));
        }
    }
}

/// Neither depth nor a count nor a fact makes the decoder use more memory than the text warrants.
#[test]
fn hostile_input_fails_fast() {
    let list = |length: usize, part: &dyn Fn(usize) -> String| (0..length).map(part).collect::<Vec<_>>();
    for text in [
        "999999999 rows\na\n1".to_owned(),
        "999999999 items\nitem 1: 1".to_owned(),
        "[".repeat(10_000_000),
        "{a:".repeat(3_000_000),
        "a:\n".repeat(1_000_000),
        list(1000, &|depth| " ".repeat(depth) + "a:\n").concat(),
        "1 rows\n".to_owned() + &"a{".repeat(1_000_000),
        "1 items\nitem 1: ".repeat(1_000_000),
        "1 rows\na".to_owned() + &",a".repeat(1_000_000) + "\n" + &",".repeat(1_000_000),
        "1 records\nfields of a".to_owned() + &".a".repeat(1_000_000) + ": b\n{}",
        "1 records\nevery record: a".to_owned() + &".a".repeat(1_000_000) + "=1\n{}",
        "1 records\nevery record: ".to_owned() + &list(200_000, &|field| format!("a{field}.b=1")).join(", "),
        "1 rows\nb = ".to_owned() + &"{".repeat(1_000_000) + "\na\n1,",
        "2000 records\nevery record: a=".to_owned() + &"x".repeat(2000) + &"\n{}".repeat(2000),
        "20000 records\na = ".to_owned() + &"{b}".repeat(5000) + &"\n{b:x}".repeat(20_000),
    ] {
        assert!(decode(&text).is_err(), "{text:.40}");
    }
}

/// The vectors, one per line of their file.
fn print(all: &Vectors) -> String {
    let members = all.as_object().expect("an object").iter().map(|(name, value)| match value {
        Vectors::Array(cases) => {
            let lines: Vec<_> = cases.iter().map(line).collect();
            format!("  {}: [\n    {}\n  ]", quoted(name), lines.join(",\n    "))
        }
        other => format!("  {}: {other}", quoted(name)),
    });
    format!("{{\n{}\n}}\n", members.collect::<Vec<_>>().join(",\n"))
}

fn line(vector: &Vectors) -> String {
    let members = vector.as_object().expect("a vector").iter();
    let members = members.map(|(name, value)| quoted(name) + ": " + &quoted(value.as_str().expect(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// A JSON string in which nothing is invisible.
fn quoted(text: &str) -> String {
    let visible = |c: char| match c {
        '\u{7f}'..='\u{a0}' | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
            format!("\\u{:04x}", u32::from(c))
        }
        _ => c.into(),
    };
    json!(text).to_string().chars().map(visible).collect()
}

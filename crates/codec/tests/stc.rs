//! Checks the STC codec with its vectors, random documents and hostile input.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use serde_json::Value as Vectors;
use tersely_codec::stc::{StcLayout, decode, encode, encode_as};
use tersely_codec::{MAX_DEPTH, Value, json};

const LAYOUTS: [StcLayout; 2] = [StcLayout::Canonical, StcLayout::Tight];

fn vectors(section: &str, each: impl Fn(&str, &str, &str)) {
    let all: Vectors = serde_json::from_str(include_str!("../../../spec/vectors/stc.json")).expect("vectors");
    let text = |vector: &Vectors, member: &str| vector[member].as_str().unwrap_or_default().to_owned();
    let cases = all[section].as_array().expect("a section");
    assert!(!cases.is_empty());
    for case in cases {
        each(&text(case, "name"), &text(case, "json"), &text(case, "stc"));
    }
}

fn read(json: &str) -> Value<'_> {
    json::decode(json).expect(json)
}

/// The compact JSON that an STC text stands for, or the message of its fault.
fn to_json(stc: &str) -> Result<String, String> {
    decode(stc).map(|value| json::encode(&value)).map_err(|error| error.to_string())
}

/// Both layouts of `json`, each decoded back, the value read as JSON as well.
fn check(json: &str, canonical: &str) {
    let value = read(json);
    assert_eq!(encode(&value).as_deref(), Some(canonical), "{json}");
    for layout in LAYOUTS {
        let text = encode_as(layout, &value).expect(json);
        assert_eq!(decode(&text).as_ref(), Ok(&value), "{text}");
    }
    assert_eq!(decode(json).as_ref(), Ok(&value), "{json}");
}

/// Behaviour 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 1.11, 1.12, 1.13, 1.14.
///
/// Each vector encodes to its text; text and JSON alike decode to the same value.
/// Behaviour 17.15: among them what the first decoders of STC got wrong.
#[test]
fn accepted_vectors_hold_both_ways() {
    vectors("accept", |name, json, stc| {
        check(json, stc);
        assert_eq!(to_json(stc), Ok(json.to_owned()), "{name}");
    });
}

/// Behaviour 1.10: other layouts and needless quotes read the same.
#[test]
fn decode_only_vectors_hold() {
    vectors("decode_only", |name, json, stc| {
        assert_eq!(to_json(stc), Ok(json.to_owned()), "{name}");
        assert_ne!(encode(&read(json)).as_deref(), Some(stc), "{name}");
    });
}

/// Behaviour 1.1, 1.8, 1.12, 1.13, 1.14: the layout without white space.
#[test]
fn tight_vectors_hold_both_ways() {
    vectors("tight", |name, json, stc| {
        assert_eq!(encode_as(StcLayout::Tight, &read(json)).as_deref(), Some(stc), "{name}");
        assert_eq!(to_json(stc), Ok(json.to_owned()), "{name}");
        assert_eq!(to_json(json), Ok(json.to_owned()), "{name}");
    });
}

/// Behaviour 1.10: a count is exact and nothing is repaired.
#[test]
fn rejected_vectors_are_rejected() {
    vectors("reject", |name, _, stc| assert!(decode(stc).is_err(), "{name}: {stc}"));
}

/// Behaviour 1.1, 1.2, 1.14: escapes and white space are spelling; the value and its canonical text are one.
#[test]
fn spelling_does_not_matter() {
    check(
        r#"{ "\u0061" : "\u00e9\/\u000A", "b-\u0063":"\uD83D\uDE00\uD83D" }"#,
        r#"{a: "é/\n", "b-c": "😀\ud83d"}"#,
    );
    check(r#"[{"\u0061":1},{"a":2}]"#, "[2]{a}: 1 / 2");
    check(r#"[{"a":1,"\u0061":2}]"#, "[{a: 1, a: 2}]");
    check("{\"é\":1,\"a\u{301}\":2,\"k\\n\":[1]}", "{\"é\": 1, \"a\u{301}\": 2, \"k\\n\"[1]: 1}");
}

/// Behaviour 1.10: white space is allowed between any two tokens, and nowhere else.
#[test]
fn white_space_parts_tokens() {
    let text = "\r\n[ 2 ]\t{ a , \"b\" } : 1 , \"x\" / 2\n,\tnull ";
    assert_eq!(to_json(text), Ok(r#"[{"a":1,"b":"x"},{"a":2,"b":null}]"#.to_owned()));
    for text in ["{a b: 1}", "[1 2]: 1", "{a: tr ue}", "{a: - 1}", "{a: 1 .5}", "{a:\u{a0}1}", "\u{feff}{}"] {
        assert!(decode(text).is_err(), "{text}");
    }
}

/// Behaviour 1.10: what looks almost right is an error, never a repair.
#[test]
fn near_misses_are_rejected() {
    for text in [
        "{a[1]: }",
        "{a[1]}",
        "{a[]: 1}",
        "{a[-1]: 1}",
        "{a[1.0]: 1}",
        "{a[1000000000]: 1}",
        "{a[1]: 1,}",
        "[1]: 1,",
        "[1]{}: 1",
        "[1]{a,}: 1",
        "[1]{a}: 1 /",
        "[1]{a}: 1 / 2",
        "[2]{a}: 1,2",
        "[2]{a}: 1 / 2 / 3",
        "[1.0]: 1",
        "[1e0]: 1",
        "[1]:",
        "[1] 1",
        "{[1]: 1}",
        "{a-b: 1}",
        "{a: [2]: 1,2}",
        "{a}",
        "{,}",
        "[,]",
        "[1,]",
        "{a::1}",
        "{a: TRUE}",
        "truex",
        "{a: \"\t\"}",
        "{'a': 1}",
        "{a: 1 // x\n}",
        "1/2",
        "{a: 1}}",
        "[1]: 1]",
        "nul",
        "-",
    ] {
        assert!(decode(text).is_err(), "{text}");
    }
}

/// Behaviour 1.14: the encoder declines what the decoder would refuse, at the same depth.
#[test]
fn depth_is_bounded_on_both_sides() {
    for (plain, short) in [
        ("[]", "[]"),
        (r#"{"a":1}"#, "{a:1}"),
        (r#"{"a":[1]}"#, "{a[1]:1}"),
        (r#"{"a":[{"b":1}]}"#, "{a[1]{b}:1}"),
    ] {
        for levels in MAX_DEPTH - 4..=MAX_DEPTH {
            let nest = |inner: &str| "[".repeat(levels) + inner + &"]".repeat(levels);
            let (json, stc) = (nest(plain), nest(short));
            assert_eq!(decode(&json).ok(), json::decode(&json).ok(), "{levels} around {plain}");
            assert_eq!(decode(&stc).ok(), json::decode(&json).ok(), "{levels} around {short}");
        }
    }
    let deep = (0..=MAX_DEPTH).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    assert_eq!(encode(&deep), None);
    let Value::Array(mut inside) = deep else { unreachable!() };
    let text = inside.pop().and_then(|value| encode(&value)).expect("a value of the greatest depth");
    assert!(decode(&text).is_ok());
}

/// Behaviour 16.5: neither depth nor a count makes the decoder use more memory than the text warrants.
#[test]
fn hostile_input_fails_fast() {
    for text in [
        "{a[999999999]: 1}".to_owned(),
        "[999999999]{a,b}: 1,2".to_owned(),
        "[".repeat(10_000_000),
        "{a:".repeat(3_000_000),
        "{a[1]{".repeat(1_000_000),
        "[".to_owned() + &"1".repeat(10_000_000),
        "[".to_owned() + &" ".repeat(10_000_000),
        "\"".to_owned() + &"\\".repeat(9_999_999),
        "[1]{".to_owned() + &(0..500_000).map(|column| format!("c{column}")).collect::<Vec<_>>().join(","),
    ] {
        assert!(decode(&text).is_err(), "{text:.20}");
    }
}

/// Behaviour 1.1, 1.16: any document comes back from both layouts, and reads as JSON too.
#[test]
fn random_documents_come_back() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..100_000 {
        let text = document(&mut dice, 3);
        let value = read(&text);
        for layout in LAYOUTS {
            let stc = encode_as(layout, &value).expect("a shallow value");
            assert_eq!(decode(&stc).as_ref(), Ok(&value), "{text}\n{stc}");
        }
        assert_eq!(decode(&text).as_ref(), Ok(&value), "{text}");
    }
}

/// Behaviour 16.5: no damage makes the decoder panic, and what it still reads encodes and comes back.
#[test]
fn damaged_documents_never_panic() {
    let mut dice = Dice(42);
    for _ in 0..50_000 {
        let source = document(&mut dice, 3);
        let mut stc = encode(&read(&source)).expect("a shallow value");
        for _ in 0..=dice.roll(2) {
            damage(&mut dice, &mut stc);
        }
        if let Ok(value) = decode(&stc) {
            let again = encode(&value).expect("a shallow value");
            assert_eq!(decode(&again).as_ref(), Ok(&value), "{stc}");
        }
    }
}

/// Xorshift: enough for test data, the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }

    fn join(&mut self, most: usize, mut part: impl FnMut(&mut Self) -> String) -> String {
        let count = self.roll(most + 1);
        (0..count).map(|_| part(self)).collect::<Vec<_>>().join(",")
    }
}

const KEYS: [&str; 9] = ["a", "b", "_c9", "true", "", "a-b", "9x", "}: ", "\\\" / é"];
const NUMBERS: [&str; 9] = ["0", "-0", "1.0", "1E5", "1e+2", "0.10", "-12", "2", "12345678901234567890123"];
const STRINGS: [&str; 8] = ["", "x", " / ", ", b: 1", "[2]{a}: 1", "\\n\\u0000", "😀", "\\ud800\\\\"];
const WORDS: [&str; 3] = ["true", "false", "null"];

fn document(dice: &mut Dice, depth: usize) -> String {
    match dice.roll(if depth == 0 { 2 } else { 8 }) {
        0 | 1 => scalar(dice, 0),
        2 | 3 => format!("[{}]", dice.join(4, |dice| document(dice, depth - 1))),
        4 => {
            let kind = dice.roll(4);
            format!("[{}]", dice.join(5, |dice| scalar(dice, kind)))
        }
        5 => {
            let keys: Vec<_> = (0..=dice.roll(3)).map(|_| dice.pick(&KEYS)).collect();
            format!("[{}]", dice.join(4, |dice| row(dice, &keys)))
        }
        _ => format!(
            "{{{}}}",
            dice.join(4, |dice| format!("\"{}\":{}", dice.pick(&KEYS), document(dice, depth - 1)))
        ),
    }
}

fn scalar(dice: &mut Dice, kind: usize) -> String {
    match if kind == 0 { 1 + dice.roll(3) } else { kind } {
        1 => dice.pick(&NUMBERS).to_owned(),
        2 => format!("\"{}\"", dice.pick(&STRINGS)),
        _ => dice.pick(&WORDS).to_owned(),
    }
}

fn row(dice: &mut Dice, keys: &[&str]) -> String {
    let cells: Vec<_> = keys.iter().map(|key| format!("\"{key}\":{}", scalar(dice, 0))).collect();
    format!("{{{}}}", cells.join(","))
}

fn damage(dice: &mut Dice, text: &mut String) {
    let mut at = dice.roll(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    match dice.roll(3) {
        0 => text.truncate(at),
        1 if at < text.len() => drop(text.remove(at)),
        _ => text.insert_str(
            at,
            dice.pick(&["{", "}", "[", "]", ":", ",", "/", "\"", "\\", "1", "[2]", "a", " ", "é"]),
        ),
    }
}

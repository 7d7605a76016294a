//! Checks our TOON with the fixtures of the format's owners, release 4.0.0 (`fixtures/toon`).
//!
//! Our API has no options, so a case that needs another delimiter, another indentation or the lenient
//! mode is not ours: it goes through the format's crate, to check our assumptions about the crate.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails loudly")]

mod value;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Tree;
use tersely_codec::{Value, json, toon};
use tersely_testing::corpus;
use toon_format::{DecodeOptions, Delimiter, EncodeOptions, Indent};
use value::{chars, member};

/// Decode cases that the owners withdrew: recoveries of the lenient mode, gone since 4.3 and 4.4.
const WITHDRAWN: [&str; 4] = [
    "treats bracket segment without a length as literal key (non-strict)",
    "treats extra brackets after valid array segment as literal key (non-strict)",
    "treats non-integer bracket content as literal key (non-strict)",
    "treats text between bracket segment and colon as literal key (non-strict)",
];

/// Encode cases that we decline, because TOON does not keep the text of a number or the key order of a row.
const DECLINED: [&str; 4] = [
    "encodes large number",
    "encodes negative zero as zero",
    "orders fields by the first entry value's encounter order",
    "uses field order from first object for tabular headers",
];

/// Behaviour 0.7, 1.17 and 1.18: what we write is what the owners write.
#[test]
fn what_we_write_is_toon() {
    let mut tally = Tally::default();
    for file in fixtures("encode") {
        for case in cases(&json::decode(&file).expect("a JSON file")) {
            let ours = case.ours().then(|| toon::encode(case.input));
            tally.count(&case.name, ours.as_ref().map(Option::is_none));
            let text = ours.flatten().or_else(|| case.encode());
            tally.check(&case.name, text.as_deref() == chars(case.expected).as_deref());
        }
    }
    println!("{tally:#?}");
    assert_eq!(tally.cases, 173);
    assert_eq!(tally.failed, set(&[]));
    assert_eq!(tally.declined, set(&DECLINED));
}

/// Behaviour 1.17: what the owners read, we read, and nothing else.
#[test]
fn what_is_toon_we_read() {
    let mut tally = Tally::default();
    for file in fixtures("decode") {
        for case in cases(&json::decode(&file).expect("a JSON file")) {
            let source = chars(Some(case.input)).expect("a text");
            let ours = case.ours().then(|| toon::decode(&source).ok().map(|value| tree(&value)));
            tally.count(&case.name, ours.as_ref().map(|_| false));
            let read = ours.unwrap_or_else(|| case.decode(&source));
            let expected = case.expected.filter(|_| !case.should_error).map(tree);
            tally.check(
                &case.name,
                read.map(|tree| tree.to_string()) == expected.map(|tree| tree.to_string()),
            );
        }
    }
    println!("{tally:#?}");
    assert_eq!(tally.cases, 343);
    assert_eq!(tally.failed, set(&WITHDRAWN));
}

/// One case of a fixture file.
struct Case<'a> {
    name: String,
    input: &'a Value<'a>,
    expected: Option<&'a Value<'a>>,
    should_error: bool,
    delimiter: Delimiter,
    indent: usize,
    strict: bool,
}

impl<'a> Case<'a> {
    fn of(case: &'a Value<'a>) -> Self {
        let options = member(case, "options");
        let option = |name| options.and_then(|options| member(options, name));
        Self {
            name: chars(member(case, "name")).expect("a name"),
            input: member(case, "input").expect("an input"),
            expected: member(case, "expected"),
            should_error: member(case, "shouldError") == Some(&Value::Bool(true)),
            delimiter: match chars(option("delimiter")).as_deref() {
                None | Some(",") => Delimiter::Comma,
                Some("\t") => Delimiter::Tab,
                Some("|") => Delimiter::Pipe,
                Some(other) => panic!("unknown delimiter {other:?}"),
            },
            indent: option("indentSize").map_or(2, |size| json::encode(size).parse().expect("a size")),
            strict: option("strict") != Some(&Value::Bool(false)),
        }
    }

    /// True when the case needs no options.
    fn ours(&self) -> bool {
        self.delimiter == Delimiter::Comma && self.indent == 2 && self.strict
    }

    /// What the format's crate writes.
    fn encode(&self) -> Option<String> {
        let options = EncodeOptions::new().with_delimiter(self.delimiter).with_spaces(self.indent);
        toon_format::encode(&tree(self.input), &options).ok()
    }

    /// What the format's crate reads.
    fn decode(&self, source: &str) -> Option<Tree> {
        let options = DecodeOptions::new().with_strict(self.strict).with_indent(Indent::Spaces(self.indent));
        toon_format::decode(source, &options).ok()
    }
}

/// How many cases there were, how many of them are ours, and which failed.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    ours: usize,
    declined: BTreeSet<String>,
    failed: BTreeSet<String>,
}

impl Tally {
    /// Notes a case: not ours, or whether we declined it.
    fn count(&mut self, name: &str, declined: Option<bool>) {
        self.cases += 1;
        self.ours += usize::from(declined.is_some());
        if declined == Some(true) {
            self.declined.insert(name.into());
        }
    }

    fn check(&mut self, name: &str, right: bool) {
        if !right {
            self.failed.insert(name.into());
        }
    }
}

/// The texts of every fixture file of a kind.
fn fixtures(kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/toon").join(kind);
    corpus::files(&folder).iter().map(|file| fs::read_to_string(file).expect("a file")).collect()
}

fn cases<'a>(file: &'a Value<'a>) -> impl Iterator<Item = Case<'a>> {
    match member(file, "tests") {
        Some(Value::Array(cases)) => cases.iter().map(Case::of),
        _ => panic!("a fixture file without tests"),
    }
}

/// The value as the format's crate takes it, where numbers have no text of their own.
fn tree(value: &Value<'_>) -> Tree {
    serde_json::from_str(&json::encode(value)).expect("JSON")
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

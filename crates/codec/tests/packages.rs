//! Writes every document of the corpus in every form that the packages read, as their test data.
//!
//! `packages/check.sh` runs this with `TERSELY_PAIRS` naming the file to write: on each line a document's name,
//! its compact JSON, and its text in each form.

#![expect(clippy::expect_used, reason = "a test fails loudly, its helpers too")]

use std::env;
use std::fs::File;
use std::io::{BufWriter, Write};

use tersely_codec::{Form, Value, encode, json};
use tersely_testing::corpus;

/// The forms that the packages read.
const FORMS: [Form; 2] = [Form::Stc, Form::Terse];

/// Behaviour 1.15: the packages read what is written here.
#[test]
#[ignore = "writes the file that packages/check.sh needs"]
fn documents_are_written_for_the_packages() {
    let path = env::var_os("TERSELY_PAIRS").expect("TERSELY_PAIRS names the file to write");
    let mut pairs =
        Pairs { out: BufWriter::new(File::create(path).expect("a file")), documents: 0, others: 0 };
    for output in corpus::outputs() {
        pairs.add(&output.name, &output.text);
    }
    for conversation in corpus::conversations() {
        let body = String::from_utf8(conversation.body).expect("a text");
        let body = json::decode(&body).unwrap_or_else(|error| panic!("{}: {error}", conversation.name));
        each_text(&body, &mut |text| pairs.add(&conversation.name, text));
    }
    pairs.out.flush().expect("a disk with room");
    println!("{} documents written; {} texts are no JSON", pairs.documents, pairs.others);
    assert!(pairs.documents > 0, "no JSON in the corpus");
}

struct Pairs {
    out: BufWriter<File>,
    documents: usize,
    others: usize,
}

impl Pairs {
    /// Writes the document called `name`, if it is JSON.
    fn add(&mut self, name: &str, text: &str) {
        let Ok(value) = json::decode(text) else {
            self.others += 1;
            return;
        };
        let mut line = serde_json::json!({ "name": name, "json": json::encode(&value) });
        for form in FORMS {
            line[form.name()] = encode(form, &value).expect("these forms hold every value").into();
        }
        writeln!(self.out, "{line}").expect("a disk with room");
        self.documents += 1;
    }
}

/// Calls `visit` with every string in `value`: tool results are among them, whatever the body's shape.
fn each_text(value: &Value<'_>, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => text.value().into_iter().for_each(|text| visit(&text)),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, visit)),
        Value::Object(members) => members.iter().for_each(|(_, value)| each_text(value, visit)),
        _ => {}
    }
}

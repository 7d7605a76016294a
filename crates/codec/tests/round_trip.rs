//! Checks that every form decodes to the value it encoded.
//!
//! `TERSELY_CASES` sets how many documents are generated; a failure reports the seed of its document.

#![expect(clippy::panic, clippy::print_stdout, reason = "a test fails loudly")]

mod value;

use std::path::Path;
use std::{env, panic};

use tersely_codec::{Form, Value, decode, encode, json};
use tersely_testing::corpus::{self, ToolOutput};
use tersely_testing::generate;
use value::{chars, member};

/// The forms under test.
const FORMS: [Form; 4] = Form::ALL;

/// The forms that may decline a value; all others hold every value.
const PARTIAL: [Form; 1] = [Form::Toon];

/// Generated documents for each form; `TERSELY_CASES` overrides it.
const CASES: u64 = 20_000;

#[test]
fn made_up_documents_come_back() {
    let cases = env::var("TERSELY_CASES").map_or(CASES, |cases| cases.parse().expect("a number of cases"));
    let mut tally = Tally::default();
    for seed in 0..cases {
        tally.check(&format!("seed {seed}"), &generate::document(&mut seed.clone()));
    }
    tally.report();
}

#[test]
fn corpus_documents_come_back() {
    let mut tally = Tally::default();
    let is_json = |output: &&ToolOutput| Path::new(&output.name).extension().is_some_and(|it| it == "json");
    for output in corpus::outputs().iter().filter(is_json) {
        tally.check(&output.name, &output.text);
    }
    assert!(tally.documents > 0, "no JSON among the outputs");
    tally.report();
}

#[test]
fn corpus_tool_results_come_back() {
    let mut tally = Tally::default();
    for conversation in corpus::conversations() {
        let body = String::from_utf8(conversation.body).expect("a text");
        for (index, result) in tool_results(&json::decode(&body).expect("a body")).enumerate() {
            if json::decode(&result).is_ok() {
                tally.check(&format!("{} result {index}", conversation.name), &result);
            }
        }
    }
    assert!(tally.documents > 0, "no JSON among the tool results");
    tally.report();
}

/// How many documents there were, and how many each form declined.
#[derive(Default)]
struct Tally {
    documents: usize,
    bytes: usize,
    declined: [usize; FORMS.len()],
}

impl Tally {
    /// Puts `text`, a JSON document called `name`, through every form.
    fn check(&mut self, name: &str, text: &str) {
        let value = json::decode(text).unwrap_or_else(|error| panic!("{name} is no JSON: {error}\n{text}"));
        self.documents += 1;
        self.bytes += text.len();
        for (form, declined) in FORMS.into_iter().zip(&mut self.declined) {
            match panic::catch_unwind(|| holds(form, &value)).unwrap_or(Err("panicked".into())) {
                Ok(held) => *declined += usize::from(!held),
                Err(fault) => panic!("{name} as {}: {fault}\n{text}", form.name()),
            }
        }
    }

    fn report(&self) {
        println!("{} documents, {} bytes", self.documents, self.bytes);
        for (form, &declined) in FORMS.iter().zip(&self.declined) {
            println!("{}: {declined} declined", form.name());
            assert!(declined == 0 || PARTIAL.contains(form), "{} must hold every value", form.name());
        }
    }
}

/// Whether `form` holds `value`; the fault when what it wrote does not come back the same.
fn holds(form: Form, value: &Value<'_>) -> Result<bool, String> {
    let Some(text) = encode(form, value) else { return Ok(false) };
    match decode(form, &text) {
        Ok(back) if back == *value => Ok(true),
        Ok(back) => Err(format!("came back as\n{}\nfrom\n{text}\nfor", json::encode(&back))),
        Err(error) => Err(format!("{error}, in\n{text}\nfor")),
    }
}

/// The texts of the tool results in a request body, be it of `OpenAI` or Anthropic.
fn tool_results<'a>(body: &'a Value<'a>) -> impl Iterator<Item = String> {
    items(member(body, "messages")).iter().flat_map(|message| {
        let content = member(message, "content");
        let own = (chars(member(message, "role")).as_deref() == Some("tool")).then_some(content).into_iter();
        let blocks = items(content).iter().filter(|block| is_type(block, "tool_result"));
        own.chain(blocks.map(|block| member(block, "content"))).flat_map(texts)
    })
}

/// The text of a content, or those of its text blocks.
fn texts(content: Option<&Value<'_>>) -> Vec<String> {
    let blocks = items(content).iter().filter(|block| is_type(block, "text"));
    chars(content).into_iter().chain(blocks.filter_map(|block| chars(member(block, "text")))).collect()
}

fn is_type(block: &Value<'_>, name: &str) -> bool {
    chars(member(block, "type")).as_deref() == Some(name)
}

fn items<'a>(value: Option<&'a Value<'a>>) -> &'a [Value<'a>] {
    match value {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

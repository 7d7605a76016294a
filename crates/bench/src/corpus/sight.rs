//! Checks whether questions about a file can still be answered from the compressed text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::AddAssign;
use std::path::Path;

use serde_json::Value;
use tersely_core::{Call, Loss, Mode, Outcome, Plan, Redaction, compress, restore};

/// The strings that an answer must contain.
pub(crate) type Needles = Vec<String>;

/// The number of questions that can be answered.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sight {
    /// From the text as a reader interprets it: `url = https://x/{id}` gives a URL for every id, and `\"` is a quote.
    pub read: usize,
    /// From the literal text.
    pub letter: usize,
    /// From the text together with its original.
    pub expanded: usize,
}

impl Sight {
    /// Searches the outcome for the answers to `asked`.
    pub(crate) fn of(outcome: &Outcome<'_>, asked: &[Needles]) -> Self {
        let text = &*outcome.text;
        let read = restore(text).unwrap_or_default();
        let read = format!("{read}\n{}", read.replace(r#"\""#, "\""));
        let original = outcome.original.as_ref().map_or("", |original| &*original.text);
        let count = |texts: &[&str], alike: fn(&str) -> Cow<'_, str>| {
            let seen = |needle: &String| {
                let alike = alike(needle);
                texts.iter().any(|text| text.contains(needle) || text.contains(&*alike))
            };
            asked.iter().filter(|needles| needles.iter().all(seen)).count()
        };
        Self {
            read: count(&[text, &read], colourless),
            letter: count(&[text], |needle| Cow::Borrowed(needle)),
            expanded: count(&[text, &read, original], colourless),
        }
    }
}

/// An answer without colour codes, which do not matter to a reader.
fn colourless(needle: &str) -> Cow<'_, str> {
    let plan = Plan { mode: Mode::Safe, loss: Loss::Form, redact: Redaction::Off, ..Plan::default() };
    compress(&plan, Call::default(), needle).text
}

impl AddAssign for Sight {
    fn add_assign(&mut self, other: Self) {
        self.read += other.read;
        self.letter += other.letter;
        self.expanded += other.expanded;
    }
}

/// The questions of the corpus in `dir`, by file.
pub(crate) fn questions(dir: &Path) -> BTreeMap<String, Vec<Needles>> {
    let mut all: BTreeMap<String, Vec<Needles>> = BTreeMap::new();
    let text = fs::read_to_string(dir.join("QUESTIONS.jsonl")).unwrap_or_default();
    for question in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let needles = question["needles"].as_array().into_iter().flatten();
        let needles = needles.filter_map(|needle| needle.as_str().map(str::to_owned)).collect();
        let file = question["file"].as_str().unwrap_or_default().to_owned();
        all.entry(file).or_default().push(needles);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lines_spell_out_is_read_but_not_to_the_letter() {
        let row = |id: usize| format!(r#"{{"id":{id},"url":"https://example.org/things/{id}/view"}}"#);
        let rows: Vec<String> = (100..140).map(row).collect();
        let text = format!("[{}]", rows.join(","));
        let outcome = compress(&Plan::default(), Call::default(), &text);
        let asked =
            ["https://example.org/things/117/view", "117", "nowhere"].map(|word| vec![word.to_owned()]);
        assert_eq!(Sight::of(&outcome, &asked), Sight { read: 2, letter: 1, expanded: 2 });
    }
}

//! Finds out whether an edit after a clearing quotes text that the model can still see.

use serde_json::Value;
use tersely_engine::in_sight;
use tersely_wire::{Provider, WireError};

/// The arguments of edit tools that quote a file.
const QUOTES: [&str; 5] = ["old_string", "old_str", "oldString", "old_text", "search"];

/// What the model of a request can read.
pub(crate) struct ReadableText(String);

/// How many edits quote text that a result showed, and how many of those still see it.
#[derive(Debug, Default)]
pub(crate) struct QuoteScore {
    /// The number of edits whose quotes the original results showed.
    pub shown: usize,
    /// The first line out of sight, of each edit whose quotes are not all in sight.
    pub misses: Vec<String>,
}

impl ReadableText {
    /// The results of a body, forms undone and references followed.
    pub(crate) fn of_results(provider: &'static Provider, body: &[u8]) -> Result<Self, WireError> {
        let slots = provider.slots(body)?;
        let texts = slots.iter().map(|slot| slot.text().unwrap_or_default().into_owned());
        Ok(Self(texts.chain(in_sight(provider, body)?).collect::<Vec<_>>().join("\n")))
    }

    /// The results of a body, and every other string in it.
    pub(crate) fn of_all(provider: &'static Provider, body: &[u8]) -> Result<Self, WireError> {
        let Self(mut text) = Self::of_results(provider, body)?;
        strings(&serde_json::from_slice(body).unwrap_or_default(), &mut |_, string| {
            text.push('\n');
            text.push_str(string);
        });
        Ok(Self(text))
    }

    fn shows(&self, line: &str) -> bool {
        self.0.contains(line)
    }
}

impl QuoteScore {
    /// Adds the edits in a model's message.
    pub(crate) fn add(&mut self, message: &Value, came: &ReadableText, sent: &ReadableText) {
        for quote in quotes(message) {
            // What no result showed, the model knows from elsewhere.
            if quote.is_empty() || !quote.iter().all(|line| came.shows(line)) {
                continue;
            }
            self.shown += 1;
            self.misses.extend(quote.into_iter().find(|line| !sent.shows(line)));
        }
    }
}

/// The lines that each edit in a message quotes.
fn quotes(message: &Value) -> Vec<Vec<String>> {
    let mut quotes = Vec::new();
    strings(message, &mut |name, text| {
        let lines: Vec<&str> = if QUOTES.contains(&name) {
            text.lines().collect()
        } else if text.starts_with("*** Begin Patch") {
            text.lines().filter_map(|line| line.strip_prefix(['-', ' '])).collect()
        } else {
            return;
        };
        quotes
            .push(lines.into_iter().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect());
    });
    quotes
}

/// Visits every string of a value with the name of its member; arguments that are JSON are read.
fn strings(value: &Value, visit: &mut impl FnMut(&str, &str)) {
    fn walk(name: &str, value: &Value, visit: &mut impl FnMut(&str, &str)) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| walk(name, value, visit)),
            Value::Array(items) => items.iter().for_each(|item| walk(name, item, visit)),
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(inside @ Value::Object(_)) if name == "arguments" => walk(name, &inside, visit),
                _ => visit(name, text),
            },
            _ => {}
        }
    }
    walk("", value, visit);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> ReadableText {
        ReadableText(text.to_owned())
    }

    #[test]
    fn an_edit_that_quotes_what_is_out_of_sight_is_missed() {
        let edit = json!({"content": [{"type": "tool_use", "input": {"old_string": "  let a = 1;\n\n  let b = 2;"}}]});
        let came = text("   1\tlet a = 1;\n   2\t\n   3\tlet b = 2;");
        let mut score = QuoteScore::default();
        score.add(&edit, &came, &text("let a = 1; let b = 2;"));
        score.add(&edit, &came, &text("let a = 1;"));
        assert_eq!((score.shown, score.misses), (2, vec!["let b = 2;".to_owned()]));
    }

    #[test]
    fn patches_and_arguments_in_json_count_and_what_nothing_showed_does_not() {
        let patch =
            json!({"type": "custom_tool_call", "input": "*** Begin Patch\n@@\n kept();\n-old();\n+new();"});
        let call = json!({"type": "function_call", "arguments": "{\"old_str\": \"unheard()\"}"});
        let mut score = QuoteScore::default();
        score.add(&patch, &text("kept();\nold();"), &text("kept();"));
        score.add(&call, &text("kept();\nold();"), &text(""));
        assert_eq!((score.shown, score.misses), (1, vec!["old();".to_owned()]));
    }
}

//! Extracts the facts in a call's arguments: paths, names and line numbers.

use std::collections::BTreeSet;

use serde_json::Value;

/// The kind of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactKind {
    /// A file or a folder, with a slash in its path.
    Path,
    /// A word that is not from a natural language: `file.rs`, `max_bytes`, `HttpClient`, `a1b2c3d`.
    Name,
    /// A line number.
    Line,
}

impl FactKind {
    /// All kinds, with their labels.
    pub(crate) const ALL: [(Self, &'static str); 3] =
        [(Self::Path, "paths"), (Self::Name, "names"), (Self::Line, "line numbers")];
}

/// A fact in an argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallFact {
    /// Its kind.
    pub kind: FactKind,
    /// The name of the argument.
    pub argument: String,
    /// The path, name or number.
    pub word: String,
}

/// The minimum length of a name. Shorter words occur everywhere.
const MIN_NAME_BYTES: usize = 4;

/// The maximum length of a name.
const MAX_NAME_BYTES: usize = 300;

/// Names of arguments that contain line numbers.
const LINES: [&str; 9] = [
    "offset",
    "line",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "line_number",
    "insert_line",
    "view_range",
];

/// The calls in a model's message: the tool of each, and the facts in its arguments.
pub(crate) fn calls(message: &Value) -> Vec<(String, BTreeSet<CallFact>)> {
    let mut calls = Vec::new();
    let mut add = |tool: &Value, input: &Value| {
        let mut facts = BTreeSet::new();
        let parsed = input.as_str().and_then(|text| serde_json::from_str(text).ok());
        gather("", parsed.as_ref().filter(|it: &&Value| it.is_object()).unwrap_or(input), &mut facts);
        calls.push((tool.as_str().unwrap_or("call").to_owned(), facts));
    };
    match message["type"].as_str() {
        Some("function_call") => add(&message["name"], &message["arguments"]),
        Some("custom_tool_call") => add(&message["name"], &message["input"]),
        Some("local_shell_call") => add(&message["type"], &message["action"]),
        _ => {}
    }
    let list = |name: &str| message[name].as_array().into_iter().flatten();
    for block in list("content").filter(|it| it["type"] == "tool_use") {
        add(&block["name"], &block["input"]);
    }
    for call in list("tool_calls") {
        add(&call["function"]["name"], &call["function"]["arguments"]);
    }
    for call in list("parts").map(|part| &part["functionCall"]).filter(|it| it.is_object()) {
        add(&call["name"], &call["args"]);
    }
    calls
}

fn gather(argument: &str, value: &Value, facts: &mut BTreeSet<CallFact>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                gather(name, value, facts);
            }
        }
        Value::Array(items) => {
            for item in items {
                gather(argument, item, facts);
            }
        }
        Value::String(text) => {
            let fact = |word: &str| {
                let (argument, word) = (argument.to_owned(), word.to_owned());
                Some(CallFact { kind: kind(&word)?, argument, word })
            };
            facts.extend(words(text).filter_map(fact));
        }
        // A call can refer to line 1 or 2 even if no result shows it.
        Value::Number(number) if LINES.contains(&argument) && number.as_u64() > Some(2) => {
            let (argument, word) = (argument.to_owned(), number.to_string());
            facts.insert(CallFact { kind: FactKind::Line, argument, word });
        }
        _ => {}
    }
}

/// Splits a text into words at blanks, quotes, brackets and operators.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let apart = |sign: char| sign.is_whitespace() || "\"'`()[]{}<>;,|&=:*!?$#→│\\".contains(sign);
    let trim = |sign: char| ".-+@%^~/".contains(sign);
    text.split(apart)
        .map(move |word| word.trim_end_matches(trim).trim_start_matches(['-', '+', '@', '%', '^', '~']))
}

fn kind(word: &str) -> Option<FactKind> {
    if !(MIN_NAME_BYTES..=MAX_NAME_BYTES).contains(&word.len()) || !word.chars().any(char::is_alphanumeric) {
        return None;
    }
    if word.contains('/') {
        return word.bytes().any(|byte| byte.is_ascii_alphabetic()).then_some(FactKind::Path);
    }
    let is_plain = word.chars().all(|sign| sign.is_alphanumeric() || "_.-".contains(sign));
    let has_letter = word.chars().any(char::is_alphabetic);
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let inner = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let is_joined = word.trim_matches(['_', '.', '-']).contains(['_', '.']);
    (is_plain && has_letter && (has_digit || inner || is_joined)).then_some(FactKind::Name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(message: &Value, expected: &[(FactKind, &str)]) {
        let calls = calls(message);
        let found: Vec<_> =
            calls.iter().flat_map(|(_, facts)| facts).map(|it| (it.kind, &*it.word)).collect();
        assert_eq!(found, expected, "{message}");
    }

    #[test]
    fn calls_of_every_api_name_things() {
        use FactKind::{Line, Name, Path};
        let input = json!({"file_path": "/x/src/a.rs", "offset": 41, "limit": 20});
        let text = input.to_string();
        let expected = [(Path, "/x/src/a.rs"), (Line, "41")];
        check(
            &json!({"role": "assistant", "content": [{"type": "tool_use", "name": "Read", "input": input}]}),
            &expected,
        );
        check(
            &json!({"role": "assistant", "tool_calls": [{"function": {"name": "read", "arguments": text}}]}),
            &expected,
        );
        check(&json!({"type": "function_call", "name": "read", "arguments": text}), &expected);
        check(
            &json!({"role": "model", "parts": [{"functionCall": {"name": "read", "args": input}}]}),
            &expected,
        );
        let patch = "*** Update File: src/a.rs\n-let max_bytes = read();\n+HttpClient";
        check(
            &json!({"type": "custom_tool_call", "name": "apply_patch", "input": patch}),
            &[(Path, "src/a.rs"), (Name, "HttpClient"), (Name, "max_bytes")],
        );
    }

    #[test]
    fn ordinary_words_are_no_names() {
        for (word, expected) in [
            ("return", None),
            ("main.rs", Some(FactKind::Name)),
            ("a1b2c3d", Some(FactKind::Name)),
            ("1234", None),
            ("HTTP", None),
            ("--help", None),
            ("src/x", Some(FactKind::Path)),
            ("//", None),
            ("1/2", None),
        ] {
            assert_eq!(kind(word), expected, "{word}");
        }
        assert_eq!(
            words("src/a.rs:12: fn x(a)").filter(|it| !it.is_empty()).collect::<Vec<_>>(),
            ["src/a.rs", "12", "fn", "x", "a"]
        );
    }
}

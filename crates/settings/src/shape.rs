//! The shapes of values in the JSON Schema. Whatever is a number or a switch may also be a text, for `${VAR}` in it.

use serde_json::{Value, json};

/// The usual words are offered; others, such as `off` or `${MODE}`, are left to the reader.
pub(crate) fn words(words: &[&str]) -> Value {
    json!({ "anyOf": [{ "enum": words }, { "type": ["string", "boolean"] }] })
}

/// A number, at least so large.
pub(crate) fn number(least: usize) -> Value {
    json!({ "type": ["integer", "string"], "minimum": least })
}

/// A list, or one text with commas.
pub(crate) fn list() -> Value {
    json!({ "type": ["array", "string"], "items": { "type": "string" } })
}

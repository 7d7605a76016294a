//! The shapes of values in the JSON Schema. A number or a switch may also be given as text, so that it can contain
//! `${VAR}`.

use serde_json::{Value, json};

/// A choice of words. Editors suggest these; other texts, such as `off` or `${MODE}`, are checked when the file is
/// read.
pub(crate) fn words(words: &[&str]) -> Value {
    json!({ "anyOf": [{ "enum": words }, { "type": ["string", "boolean"] }] })
}

/// A number that is at least `least`.
pub(crate) fn number(least: usize) -> Value {
    json!({ "type": ["integer", "string"], "minimum": least })
}

/// A list, or a text with commas between the items.
pub(crate) fn list() -> Value {
    json!({ "type": ["array", "string"], "items": { "type": "string" } })
}

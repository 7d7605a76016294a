//! A value as JSON without white space: the yardstick for every other form.

use crate::{Text, Value};

/// Writes `value` as compact JSON.
#[must_use]
pub fn encode(value: &Value<'_>) -> String {
    let mut out = String::new();
    push(&mut out, value);
    out
}

fn push(out: &mut String, value: &Value<'_>) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                push(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                push_string(out, key);
                out.push(':');
                push(out, value);
            }
            out.push('}');
        }
        scalar => push_scalar(out, scalar),
    }
}

/// Writes what holds no other value; nothing for what does.
pub(crate) fn push_scalar(out: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(text) => out.push_str(text),
        Value::String(text) => push_string(out, text),
        Value::Array(_) | Value::Object(_) => {}
    }
}

/// Writes `text` in quotes.
pub(crate) fn push_string(out: &mut String, text: &Text<'_>) {
    out.push('"');
    out.push_str(text.as_str());
    out.push('"');
}

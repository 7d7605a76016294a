//! Encodes a value as JSON without white space. Every other form is compared with this one.

use crate::{Text, Value};

/// Writes `value` as compact JSON.
#[must_use]
pub fn encode(value: &Value<'_>) -> String {
    let mut out = String::new();
    push_flat(&mut out, value, EscapeSpelling { key: push_string, text: push_string });
    out
}

/// The functions that write keys and strings.
#[derive(Clone, Copy)]
pub(crate) struct EscapeSpelling {
    pub(crate) key: fn(&mut String, &Text<'_>),
    pub(crate) text: fn(&mut String, &Text<'_>),
}

/// Writes `value` on one line, with the brackets of JSON and without white space.
pub(crate) fn push_flat(out: &mut String, value: &Value<'_>, spelling: EscapeSpelling) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                push_flat(out, item, spelling);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                (spelling.key)(out, key);
                out.push(':');
                push_flat(out, value, spelling);
            }
            out.push('}');
        }
        Value::String(text) => (spelling.text)(out, text),
        scalar => push_scalar(out, scalar),
    }
}

/// Writes a scalar; writes nothing for an array or an object.
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

/// Writes `text` with quotes.
pub(crate) fn push_string(out: &mut String, text: &Text<'_>) {
    out.push('"');
    out.push_str(text.as_str());
    out.push('"');
}

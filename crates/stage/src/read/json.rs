//! Texts that are JSON, or several documents of it.

use tersely_codec::{Value, json};

/// True for what begins like a JSON document: cheap to ask of any text.
pub(crate) fn opens(text: &str) -> bool {
    let mut signs = text.chars().filter(|sign| !sign.is_whitespace());
    match signs.next() {
        Some('{') => matches!(signs.next(), Some('"' | '}')),
        Some('[') => matches!(signs.next(), Some('{' | '[' | '"' | ']')),
        _ => false,
    }
}

/// Shorter texts have nothing to give.
pub(crate) const MIN_BYTES: usize = 64;

/// The documents of a text of several, one a line.
pub(crate) fn documents(text: &str) -> Option<Value<'_>> {
    if text.len() < MIN_BYTES || !text.starts_with('{') {
        return None;
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let values = body.split('\n').map(|line| json::decode(line).ok()).collect::<Option<Vec<_>>>()?;
    (values.len() > 1).then_some(Value::Array(values))
}

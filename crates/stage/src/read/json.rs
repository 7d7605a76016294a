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

/// Bytes that may stand before a document: what a tool says of the call.
const MAX_LEAD: usize = 400;

/// Where a document begins: at once, or on a line near the top.
pub(crate) fn begin(text: &str) -> Option<usize> {
    let near = &text[..text.floor_char_boundary(MAX_LEAD)];
    let lines = near.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(lines).find(|at| opens(&text[*at..]))
}

/// Shorter texts have nothing to give.
pub(crate) const MIN_BYTES: usize = 64;

/// The documents of a text of several, one right behind the other.
pub(crate) fn joined(text: &str) -> Option<Value<'_>> {
    if !text.starts_with('{') || !text.contains("}{") {
        return None;
    }
    let (mut values, mut rest) = (Vec::new(), text.trim_end());
    while !rest.is_empty() {
        let (document, more) = rest.split_at(end(rest)?);
        values.push(json::decode(document).ok()?);
        rest = more;
    }
    (values.len() > 1).then_some(Value::Array(values))
}

/// Where the object ends that a text begins with.
fn end(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The documents of a text of several, one a line.
pub(crate) fn documents(text: &str) -> Option<Value<'_>> {
    if text.len() < MIN_BYTES || !text.starts_with('{') {
        return None;
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let values = body.split('\n').map(|line| json::decode(line).ok()).collect::<Option<Vec<_>>>()?;
    (values.len() > 1).then_some(Value::Array(values))
}

//! Recognises texts that consist of one or several JSON documents.

use tersely_codec::{Value, json};

/// True for text that begins like JSON. The test is cheap enough for any text.
pub(crate) fn opens(text: &str) -> bool {
    let mut signs = text.chars().filter(|sign| !sign.is_whitespace());
    match signs.next() {
        Some('{') => matches!(signs.next(), Some('"' | '}')),
        Some('[') => matches!(signs.next(), Some('{' | '[' | '"' | ']')),
        _ => false,
    }
}

/// The maximum number of bytes in front of a document, such as a tool's note on the call.
const MAX_LEAD_BYTES: usize = 400;

/// The start of the document, which is the start of the text or of a line near the top.
pub(crate) fn begin(text: &str) -> Option<usize> {
    let near = &text[..text.floor_char_boundary(MAX_LEAD_BYTES)];
    let lines = near.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(lines).find(|at| opens(&text[*at..]))
}

/// The minimum length of a text in bytes; shorter texts save nothing.
pub(crate) const MIN_BYTES: usize = 64;

/// Parses a text that consists of several concatenated documents.
pub(crate) fn parse_concatenated(text: &str) -> Option<Value<'_>> {
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

/// The end of the object at the start of a text.
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

/// Parses a text with one document on each line.
pub(crate) fn documents(text: &str) -> Option<Value<'_>> {
    if text.len() < MIN_BYTES || !text.starts_with('{') {
        return None;
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let values = body.split('\n').map(|line| json::decode(line).ok()).collect::<Option<Vec<_>>>()?;
    (values.len() > 1).then_some(Value::Array(values))
}

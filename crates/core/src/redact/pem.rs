//! Finds private keys in PEM armour, whole or truncated.

use std::ops::Range;

/// The maximum length of a key, in bytes.
const MAX_KEY_BYTES: usize = 32_768;
/// The maximum length of a line of a key, in bytes.
const MAX_LINE_BYTES: usize = 4096;
/// The minimum number of consecutive base64 characters that count as key material rather than a word.
const MIN_RUN_BYTES: usize = 20;

/// The key whose armour begins at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let title = text[at..].strip_prefix("-----BEGIN ")?;
    let dashes = title.as_bytes().iter().take(48).position(|&byte| byte == b'-')?;
    let (title, rest) = title.split_at(dashes);
    let body = rest.strip_prefix("-----")?;
    if !title.contains("PRIVATE KEY") {
        return None;
    }
    let near = &body[..body.floor_char_boundary(MAX_KEY_BYTES)];
    let inner = near.find("-----").unwrap_or(near.len());
    let close = near[inner..]
        .strip_prefix("-----END ")
        .and_then(|rest| rest.strip_prefix(title)?.strip_prefix("-----"));
    let end = match close {
        Some(rest) => dense(&near[..inner], near.len() - rest.len())?,
        None => truncated_end(&near[..inner])?,
    };
    Some(at..text.len() - body.len() + end)
}

/// Returns `end` if at least half of the body is key material. Code that only mentions the two armour lines has little
/// of it between them.
fn dense(body: &str, end: usize) -> Option<usize> {
    let material = material(body);
    (material >= MIN_RUN_BYTES && material * 2 >= body.len()).then_some(end)
}

/// The end of a key without a closing line: its last line of key material.
fn truncated_end(body: &str) -> Option<usize> {
    let mut end = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.len() > MAX_LINE_BYTES {
            break;
        }
        let header = bare.contains(": ") && bare.len() < 80;
        if material(bare) * 2 >= bare.len().max(1) && material(bare) > 0 {
            end = Some(at + bare.len());
        } else if !header && bare.trim().len() > 8 {
            break;
        }
        at += line.len();
    }
    end
}

/// The number of bytes in long runs of base64. An escaped line end separates two runs.
fn material(body: &str) -> usize {
    let runs = body.split(|char: char| !(char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '=')));
    runs.map(str::len).filter(|&length| length >= MIN_RUN_BYTES).sum()
}

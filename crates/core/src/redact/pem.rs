//! Private keys in their armour, whole or cut short.

use std::ops::Range;

/// Armour of more bytes than this is no key's.
const LONGEST: usize = 32_768;
/// Lines of more bytes than this are no key's.
const WIDEST: usize = 4096;
/// Letters of base64 that make a line key material and not a word.
const RUN: usize = 20;

/// The key whose armour begins at `at`.
pub(super) fn find(text: &str, at: usize) -> Option<Range<usize>> {
    let title = text[at..].strip_prefix("-----BEGIN ")?;
    let dashes = title.as_bytes().iter().take(48).position(|&byte| byte == b'-')?;
    let (title, rest) = title.split_at(dashes);
    let body = rest.strip_prefix("-----")?;
    if !title.contains("PRIVATE KEY") {
        return None;
    }
    let near = &body[..body.floor_char_boundary(LONGEST)];
    let inner = near.find("-----").unwrap_or(near.len());
    let close = near[inner..]
        .strip_prefix("-----END ")
        .and_then(|rest| rest.strip_prefix(title)?.strip_prefix("-----"));
    let end = match close {
        Some(rest) => dense(&near[..inner], near.len() - rest.len())?,
        None => cut(&near[..inner])?,
    };
    Some(at..text.len() - body.len() + end)
}

/// `end`, when most of the body is key material: code that merely names both lines has little between them.
fn dense(body: &str, end: usize) -> Option<usize> {
    let material = material(body);
    (material >= RUN && material * 2 >= body.len()).then_some(end)
}

/// The end of a key whose closing line was cut off: the last line of key material.
fn cut(body: &str) -> Option<usize> {
    let mut end = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.len() > WIDEST {
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

/// Bytes that stand in long runs of base64; an escaped line end does not join two of them.
fn material(body: &str) -> usize {
    let runs = body.split(|char: char| !(char.is_ascii_alphanumeric() || matches!(char, '+' | '/' | '=')));
    runs.map(str::len).filter(|&length| length >= RUN).sum()
}

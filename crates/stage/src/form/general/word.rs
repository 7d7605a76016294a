//! Splits text into words, and decides where in a phrase each word may occur.

use crate::form::general::alarm::is_level;
use crate::form::general::column::is_wordy;
use crate::form::general::span::Span;

/// White space, which never begins or ends a phrase.
pub(super) const BLANK: u8 = 1;
/// A word that is never part of a phrase.
pub(super) const BREAK: u8 = 2;
/// A word that stays unchanged here; elsewhere the same word may be part of a phrase.
pub(super) const KEPT: u8 = 4;
/// A word that never begins a phrase.
pub(super) const NO_START: u8 = 8;
/// A word that never ends a phrase.
pub(super) const NO_END: u8 = 16;
/// A word long enough to make a phrase worthwhile.
pub(super) const REAL: u8 = 32;

/// The end and the flags of the word that starts at `at`.
pub(super) fn next(text: &str, at: usize, end: usize) -> (usize, u8) {
    let bytes = &text.as_bytes()[..end];
    match bytes[at] {
        b'\\' => escape(bytes, at),
        b' ' | b'\t' => (run(bytes, at, |byte| matches!(byte, b' ' | b'\t')), BLANK),
        b'0'..=b'9' => {
            let end = number(bytes, at);
            (end, real(text, Span::new(at, end)))
        }
        byte if is_wordy(byte) || is_percent(bytes, at) => {
            let end = word(bytes, at);
            (end, real(text, Span::new(at, end)))
        }
        b'&' => (entity(bytes, at), NO_START | NO_END),
        b',' | b';' | b':' | b'|' | b'=' | b'/' | b'?' | b'%' | b'*' => (at + 1, NO_START | NO_END),
        b')' | b']' | b'}' | b'>' | b'.' | b'-' => (at + 1, NO_START),
        b'(' | b'[' | b'{' | b'<' | b'$' | b'@' | b'#' => (at + 1, NO_END),
        byte if byte.is_ascii() => (at + 1, 0),
        _ => (at + 1, BREAK),
    }
}

/// The end and the flags of a JSON escape. An escaped line end is a `BREAK`.
fn escape(bytes: &[u8], at: usize) -> (usize, u8) {
    match bytes.get(at + 1) {
        Some(b'n' | b'r') => (at + 2, BREAK),
        Some(b'u') if bytes.len() >= at + 6 && bytes[at + 2..at + 6].iter().all(u8::is_ascii_hexdigit) => {
            (at + 6, 0)
        }
        Some(b't' | b'"' | b'\\' | b'/') => (at + 2, 0),
        _ => (at + 1, NO_START | NO_END),
    }
}

/// The end of a number with decimal points, a time or a date, including attached letters.
fn number(bytes: &[u8], at: usize) -> usize {
    let mut end = word(bytes, at);
    while bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
        && match bytes[end] {
            b'.' | b':' => true,
            b'-' => {
                bytes[at..end].iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
                    && matches!(end - at, 4 | 7)
            }
            _ => false,
        }
    {
        end = word(bytes, end + 1);
    }
    end
}

/// The end of a run of letters, digits and percent-encoded bytes.
fn word(bytes: &[u8], mut at: usize) -> usize {
    loop {
        if is_percent(bytes, at) {
            at += 3;
        } else if bytes.get(at).is_some_and(|byte| is_wordy(*byte)) {
            at += 1;
        } else {
            return at;
        }
    }
}

fn is_percent(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'%')
        && bytes.len() >= at + 3
        && bytes[at + 1..at + 3].iter().all(u8::is_ascii_hexdigit)
}

fn entity(bytes: &[u8], at: usize) -> usize {
    let name = run(bytes, at + 1, |byte| byte.is_ascii_alphanumeric() || byte == b'#');
    if name > at + 1 && name < at + 10 && bytes.get(name) == Some(&b';') { name + 1 } else { at + 1 }
}

fn run(bytes: &[u8], at: usize, is_one: impl Fn(u8) -> bool) -> usize {
    (at..bytes.len()).find(|at| !is_one(bytes[*at])).unwrap_or(bytes.len())
}

fn real(text: &str, span: Span) -> u8 {
    let word = span.of(text);
    if is_level(word) {
        return BREAK;
    }
    let letters = word
        .as_bytes()
        .windows(3)
        .any(|three| three.iter().all(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()));
    if letters || word.len() >= 6 { REAL } else { 0 }
}

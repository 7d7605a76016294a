//! Parses a value in a line: its words, which distinguish lines, and its number, which may be an outlier.

use crate::cut::alike::bytes::{START, has_digit, is_word, mix};

/// Hashes of a value, and its number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineField {
    /// Hash of the whole value.
    pub(super) whole: u64,
    /// Hash of the value's words, without digits and identifiers that mix letters and digits.
    pub(super) words: u64,
    /// The value as a number, if it is one.
    pub(super) number: Option<f64>,
}

impl LineField {
    pub(super) fn of(text: &[u8]) -> Self {
        Self { whole: mix(START, text), words: words(text), number: number(text) }
    }
}

/// Added to the hash in place of a number or an identifier.
const HOLE: u64 = 1;

/// A run of at least this many lower-case letters is an identifier, not a word.
const MIN_IDENTIFIER_LETTERS: usize = 24;

/// A hash of a value's words. It is the same for `/api/orders/17` and `/api/orders/4`.
fn words(text: &[u8]) -> u64 {
    let (mut hash, mut hole) = (START, false);
    for part in parts(text) {
        let sign = !is_word(part[0]);
        // Punctuation between digits is part of the number: 12.5, 10.0.0.7, 09:41:03.
        let numeric = sign && hole && part.len() == 1 && b".,:-_".contains(&part[0]);
        if sign && !numeric {
            hash = mix(hash, part);
            hole = false;
        } else if !sign {
            // Hexadecimal letters after a number or an identifier belong to it, even without a digit, as in a UUID.
            let hex = part.iter().all(u8::is_ascii_hexdigit);
            let name = name(part).filter(|_| !(hole && hex));
            if !hole && (name.is_none() || has_digit(part)) {
                hash ^= HOLE;
            }
            hash = mix(hash, name.unwrap_or_default());
            hole = name.is_none();
        }
    }
    hash
}

/// Splits a text into runs of letters and digits, and the characters between them.
fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.chunk_by(|one, two| is_word(*one) && is_word(*two))
}

/// The word in a run of letters and digits: the run itself if it has no digits, else the letters in front of a number
/// or the unit after it. An identifier contains no word.
fn name(run: &[u8]) -> Option<&[u8]> {
    if !has_digit(run) {
        return (run.len() < MIN_IDENTIFIER_LETTERS || !run.iter().all(u8::is_ascii_lowercase))
            .then_some(run);
    }
    let digits = |part: &[u8]| part.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let letters = |part: &[u8]| part.iter().take_while(|byte| !byte.is_ascii_digit()).count();
    let (before, number) = run.split_at(letters(run));
    let (number, behind) = number.split_at(digits(number));
    let hex = run.iter().all(u8::is_ascii_hexdigit);
    match (before, behind) {
        _ if hex || number.is_empty() => None,
        (name, []) if name.len() > 1 => Some(name),
        ([], unit) if unit.len() <= MAX_UNIT_LETTERS && !has_digit(unit) => Some(unit),
        _ => None,
    }
}

/// Maximum number of letters in a unit.
const MAX_UNIT_LETTERS: usize = 3;

/// The value as a number. It may have a sign, a fraction, thousands separators, a unit and quotes.
fn number(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim_matches('"');
    let bare = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    if text.len() - bare.len() > MAX_UNIT_LETTERS || !bare.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    bare.replace(',', "").parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_no_words() {
        for (one, two) in [
            ("/api/orders/17", "/api/orders/40213"),
            ("10.0.0.7", "192.168.1.1"),
            ("worker7", "worker12"),
            ("9f86d081884c7d65", "0b4e9a"),
            ("3f2a1b9c-77aa-4c2b-9d10-aabbccddee11", "1f2a1b9c-07aa-beef-9d10-0abbccddee11"),
            ("12.5ms", "3ms"),
            ("\"GET /a/1 HTTP/1.1\"", "\"GET /a/22 HTTP/1.1\""),
            ("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba"),
        ] {
            assert_eq!(words(one.as_bytes()), words(two.as_bytes()), "{one} {two}");
        }
    }

    #[test]
    fn names_are_words() {
        for (one, two) in [
            ("/api/orders/17", "/admin/delete-all"),
            ("anna", "root"),
            ("/a/b/c", "/a/b"),
            ("worker7", "waiter7"),
            ("\"GET /a/1\"", "\"PUT /a/1\""),
            ("12ms", "12s"),
        ] {
            assert_ne!(words(one.as_bytes()), words(two.as_bytes()), "{one} {two}");
        }
    }

    #[test]
    fn numbers_are_read() {
        for (text, expected) in [
            ("30412", Some(30412.0)),
            ("12.5ms", Some(12.5)),
            ("-3", Some(-3.0)),
            ("1,200.50", Some(1200.5)),
            ("\"7\"", Some(7.0)),
            ("10.0.0.7", None),
            ("10:00:00", None),
            ("ms", None),
            ("inf", None),
            ("1e999", None),
            ("7minutes", None),
            ("", None),
            ("é1", None),
        ] {
            assert_eq!(number(text.as_bytes()), expected, "{text}");
        }
    }
}

//! The escapes of JSON strings: which character each escape encodes, and which escape a character gets.

use std::fmt::Write as _;

/// Decodes the escape at `at` to its UTF-16 unit, and returns the unit and the length of the escape; `None` when
/// there is no escape at `at`.
#[must_use]
pub fn unescape_unit(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    match bytes.get(at..)? {
        [b'\\', b'u', digits @ ..] => Some((hex(digits.get(..4)?)?, 6)),
        [b'\\', letter, ..] => Some((u32::from(short_unescape(*letter)?), 2)),
        _ => None,
    }
}

/// Decodes the escape at `at`, or a surrogate pair of two escapes, and returns the character and the number of bytes
/// used. `None` for a lone surrogate, and when there is no escape at `at`.
#[must_use]
#[inline]
pub fn unescape_char(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    match bytes.get(at..)? {
        [b'\\', b'u', ..] => unescape_wide(bytes, at),
        [b'\\', letter, ..] => Some((short_unescape(*letter)?, 2)),
        _ => None,
    }
}

fn unescape_wide(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let (unit, used) = unescape_unit(bytes, at)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, used));
    }
    let (low, more) = unescape_unit(bytes, at + used)?;
    Some((join_surrogates(unit, low)?, used + more))
}

/// The character that two surrogate units form; `None` when they are not a pair.
#[must_use]
pub fn join_surrogates(high: u32, low: u32) -> Option<char> {
    let high = high.checked_sub(0xD800).filter(|high| *high < 0x400)?;
    let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    char::from_u32(0x10000 + (high << 10) + low)
}

/// The character that the short escape with this letter encodes.
#[inline]
fn short_unescape(letter: u8) -> Option<char> {
    Some(match letter {
        b'n' => '\n',
        b'"' => '"',
        b'\\' => '\\',
        b't' => '\t',
        b'r' => '\r',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        _ => return None,
    })
}

/// True when `before` ends with a backslash that escapes the next byte.
#[must_use]
pub fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// True for a byte that must be escaped in a JSON string.
#[must_use]
pub fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The letter of the short escape for `byte`, such as `n` for a line feed.
pub(crate) fn short_escape(byte: u8) -> Option<u8> {
    match byte {
        b'"' | b'\\' => Some(byte),
        b'\n' => Some(b'n'),
        b'\t' => Some(b't'),
        b'\r' => Some(b'r'),
        0x08 => Some(b'b'),
        0x0C => Some(b'f'),
        _ => None,
    }
}

/// Appends `character` to the content of a JSON string, with an escape only if one is needed.
pub fn push_char(out: &mut String, character: char) {
    match u8::try_from(character).ok().filter(|byte| needs_escape(*byte)) {
        None => out.push(character),
        Some(byte) => match short_escape(byte) {
            Some(letter) => out.extend(['\\', char::from(letter)]),
            None => push_unit(out, u32::from(byte)),
        },
    }
}

/// Appends a UTF-16 unit as `\uXXXX`.
pub fn push_unit(out: &mut String, unit: u32) {
    let _ = write!(out, "\\u{unit:04x}");
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(escape: &str, expected: Option<(char, usize)>) {
        assert_eq!(unescape_char(escape.as_bytes(), 0), expected, "{escape}");
    }

    #[test]
    fn escapes_stand_for_characters() {
        check(r"\n", Some(('\n', 2)));
        check(r"\/x", Some(('/', 2)));
        check(r"\u00E9", Some(('é', 6)));
        check(r"\ud83d\ude00.", Some(('😀', 12)));
    }

    #[test]
    fn lone_surrogates_and_broken_escapes_stand_for_none() {
        for escape in
            [r"\ud83d", r"\ude00x", r"\ud83d\ud83d", r"\ud83d\n", r"\x", r"\u12", r"\u+123", "n", ""]
        {
            check(escape, None);
        }
        assert_eq!(unescape_unit(br"\ud83d", 0), Some((0xD83D, 6)));
    }

    #[test]
    fn an_even_number_of_backslashes_escapes_nothing() {
        assert!(is_escaped(br"a\") && is_escaped(br"\\\"));
        assert!(!is_escaped(b"") && !is_escaped(br"a\\"));
    }
}

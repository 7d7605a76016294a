//! Decodes and encodes JSON strings.
//!
//! A string that could not be encoded again exactly (because of a lone surrogate, an unescaped control character,
//! invalid UTF-8 or an invalid escape) is not decoded at all.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use memchr::memchr;

use crate::escape::{is_escaped, needs_escape, short_escape, unescape_char};

/// Decodes `token`, a JSON string with its quotes.
#[must_use]
pub fn decode(token: &[u8]) -> Option<Cow<'_, str>> {
    let content = token.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    // Most names and values are short and have no escapes; for these, one pass over the bytes is enough.
    let is_plain = |byte: &u8| (b' '..0x7F).contains(byte) && *byte != b'\\';
    if content.len() <= MAX_SHORT_BYTES && content.iter().all(is_plain) {
        return str::from_utf8(content).ok().map(Cow::Borrowed);
    }
    // This computes the smallest byte instead of searching for the first small byte, so that the compiler can process
    // many bytes at once.
    if content.iter().fold(u8::MAX, |least, &byte| least.min(byte)) < 0x20 {
        return None;
    }
    let content = str::from_utf8(content).ok()?;
    match memchr(b'\\', content.as_bytes()) {
        None => Some(Cow::Borrowed(content)),
        Some(first) => unescape(content, first).map(Cow::Owned),
    }
}

/// Appends `text` as a JSON string, including the quotes.
pub fn encode(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut from = 0;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        if needs_escape(byte) {
            out.extend_from_slice(&text.as_bytes()[from..at]);
            escape(out, byte);
            from = at + 1;
        }
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
    out.push(b'"');
}

/// Returns `text` as a JSON string, including the quotes.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    encode(&mut out, text);
    String::from_utf8_lossy(&out).into_owned()
}

/// The part of a JSON text at `place`, unchanged.
#[must_use]
pub fn raw(place: &Range<usize>, data: &[u8]) -> String {
    String::from_utf8_lossy(data.get(place.clone()).unwrap_or_default()).into_owned()
}

/// The position after the closing quote of the string whose opening quote is at `start`; `None` when there is no
/// closing quote.
///
/// A quote ends the string if an even number of backslashes precedes it. Searching only for quotes is faster than
/// stopping at every backslash, because a tool's output contains a `\n` in every line.
#[must_use]
pub fn end(bytes: &[u8], start: usize) -> Option<usize> {
    let first = start + 1;
    if let Some(quote) = near_quote(bytes, first) {
        return Some(quote + 1);
    }
    let mut from = first;
    loop {
        let quote = from + memchr(b'"', bytes.get(from..)?)?;
        if !is_escaped(&bytes[first..quote]) {
            return Some(quote + 1);
        }
        match end_among_quotes(bytes, first, quote + 1) {
            ControlFlow::Break(end) => return Some(end),
            ControlFlow::Continue(next) => from = next,
        }
    }
}

/// Searches on from `from`, which follows a quote in a string whose content begins at `first`, as long as quotes are close
/// together, as in JSON within a string. There, a vectorised search would start anew every few bytes.
fn end_among_quotes(bytes: &[u8], first: usize, mut from: usize) -> ControlFlow<usize, usize> {
    let word = |at: usize| bytes[at..].first_chunk::<WORD_BYTES>();
    let mut words_without = 0;
    while words_without < MAX_WORDS_WITHOUT_QUOTE
        && let (Some(here), Some(before), Some(earlier)) = (word(from), word(from - 1), word(from - 2))
    {
        let quotes = bits_of(b'"', *here);
        words_without = if quotes == 0 { words_without + 1 } else { 0 };
        // A single backslash escapes a quote; only other quotes need a look at all that is in front of them.
        let mut open = quotes & !(bits_of(b'\\', *before) & !bits_of(b'\\', *earlier));
        while open != 0 {
            let quote = from + open.trailing_zeros() as usize / 8;
            if !is_escaped(&bytes[first..quote]) {
                return ControlFlow::Break(quote + 1);
            }
            open &= open - 1;
        }
        from += WORD_BYTES;
    }
    ControlFlow::Continue(from)
}

/// The highest bit of each byte of a word that is `byte`; the first byte is the lowest.
fn bits_of(byte: u8, word: [u8; WORD_BYTES]) -> u64 {
    let low_bits = u64::from_le_bytes([0x7F; WORD_BYTES]);
    let other = u64::from_le_bytes(word) ^ u64::from_le_bytes([byte; WORD_BYTES]);
    !(((other & low_bits) + low_bits) | other | low_bits)
}

/// Finds the closing quote of a short string without escapes. Most strings are names and single words, and end before
/// a vectorised search would have started.
pub(crate) fn near_quote(bytes: &[u8], first: usize) -> Option<usize> {
    let near = bytes.get(first..)?.iter().take(MAX_NEAR_BYTES);
    let found = first + near.take_while(|&&byte| byte != b'"' && byte != b'\\').count();
    (found < first + MAX_NEAR_BYTES && bytes.get(found) == Some(&b'"')).then_some(found)
}

/// The maximum length of a string that is checked byte by byte before it is decoded.
const MAX_SHORT_BYTES: usize = 32;

/// The number of bytes in which the end of a string is searched byte by byte.
const MAX_NEAR_BYTES: usize = 16;

/// The number of bytes that are compared at once where quotes are close together.
const WORD_BYTES: usize = 8;

/// The number of words without a quote after which quotes are no longer close together.
const MAX_WORDS_WITHOUT_QUOTE: usize = 2;

fn unescape(content: &str, first: usize) -> Option<String> {
    let bytes = content.as_bytes();
    let mut out = String::with_capacity(content.len());
    let mut from = 0;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&content[from..at]);
        let (character, used) = unescape_char(bytes, at)?;
        out.push(character);
        from = at + used;
        next = memchr(b'\\', &bytes[from..]).map(|found| from + found);
    }
    out.push_str(&content[from..]);
    Some(out)
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    match short_escape(byte) {
        Some(letter) => out.extend_from_slice(&[b'\\', letter]),
        None => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(token: &str, expected: Option<&str>) {
        assert_eq!(decode(token.as_bytes()).as_deref(), expected, "{token}");
    }

    #[test]
    fn escapes_are_read() {
        check(r#""plain é""#, Some("plain é"));
        check(r#""a\n\t\"\\\/\b\f\r""#, Some("a\n\t\"\\/\u{8}\u{c}\r"));
        check(r#""\u00e9\u00E9\ud83d\ude00.""#, Some("éé😀."));
        check(r#""""#, Some(""));
    }

    #[test]
    fn what_has_no_characters_is_declined() {
        for token in [
            r#""\ud83d""#,
            r#""\ude00x""#,
            r#""\ud83d\ud83d\ude00""#,
            r#""\ud83d\n\ude00""#,
            r#""\x""#,
            r#""\u12g4""#,
            r#""\u12""#,
            r#""\u+123""#,
            "\"a\nb\"",
            "\"",
            "a",
            "",
            "{}",
        ] {
            check(token, None);
        }
        assert_eq!(decode(b"\"\xff\""), None);
    }

    #[test]
    fn texts_come_back() {
        let all: String = (0..0x250).filter_map(char::from_u32).collect();
        for text in ["", "plain", "q\"\\/", all.as_str(), "é😀\u{2028}\u{ffff}"] {
            let mut out = Vec::new();
            encode(&mut out, text);
            assert_eq!(decode(&out).as_deref(), Some(text));
            assert_eq!(serde_json::from_slice::<String>(&out).ok().as_deref(), Some(text));
        }
    }

    #[test]
    fn a_string_ends_after_its_closing_quote() {
        let long = "x".repeat(40);
        for (text, at, expected) in [
            (r#""" x"#, 0, Some(2)),
            (r#"["a\"b"]"#, 1, Some(7)),
            (r#""\\" ""#, 0, Some(4)),
            (&format!("\"{long}\\\"{long}\""), 0, Some(84)),
            (r#""a\""#, 0, None),
            ("\"", 0, None),
            ("", 7, None),
        ] {
            assert_eq!(end(text.as_bytes(), at), expected, "{text}");
        }
    }

    /// The end of a string, read byte by byte.
    fn slow_end(bytes: &[u8]) -> Option<usize> {
        let mut at = 1;
        while *bytes.get(at)? != b'"' {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        Some(at + 1)
    }

    /// Quotes and backslashes in any order and at any distance, and bytes that differ from a quote in one bit.
    #[test]
    fn a_string_full_of_quotes_ends_where_a_slow_reader_ends_it() {
        let pieces: [&[u8]; 8] =
            [b"\\\"", b"\\\\", b"x", b"#\xa2\xa3", b"\\n", b"twenty-one letters...", b"\\\"\\\"", b"\""];
        let mut seed = 7_u64;
        for round in 0..20_000 {
            let mut text = vec![b'"'];
            for _ in 0..round % 60 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // The last piece ends the string, so it is rare.
                let piece = usize::try_from(seed >> 33).expect("31 bits") % 57;
                text.extend_from_slice(pieces[if piece == 56 { 7 } else { piece % 7 }]);
            }
            assert_eq!(end(&text, 0), slow_end(&text), "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn quoting_escapes_what_json_requires() {
        assert_eq!(quote("a\"\\\n\u{1f}é"), r#""a\"\\\n\u001fé""#);
        assert_eq!(raw(&(1..3), b"[12]"), "12");
        assert_eq!(raw(&(1..9), b"[12]"), "");
    }
}

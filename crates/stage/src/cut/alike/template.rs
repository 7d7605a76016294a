//! Computes the template of a line: its words without its values. Similar lines have the same template.

use crate::cut::alike::bytes::{START, has_digit, is_word, mix};
use crate::cut::alike::field::LineField;

/// Hashes of the parts of a line.
#[derive(Debug, PartialEq)]
pub(super) struct Template {
    /// Hash of the words, which identifies the template.
    pub(super) key: u64,
    /// The values of the line, in order.
    pub(super) fields: Vec<LineField>,
}

impl Template {
    /// Parses a line.
    pub(super) fn of(line: &str) -> Self {
        let bytes = line.as_bytes();
        let grave = is_grave(bytes);
        let mut template = Self { key: START, fields: Vec::new() };
        let (mut at, mut prose_end) = (0, 0);
        while at < bytes.len() {
            prose_end = prose_end.max(sentence(bytes, at, prose_end));
            let part = part(bytes, at, prose_end);
            let text = &bytes[at..at + part.length];
            if part.value && (!grave || has_digit(text)) {
                template.key = mix(template.key, b"\0");
                template.fields.push(LineField::of(text));
            } else {
                template.key = mix(template.key, text);
            }
            at += part.length;
        }
        template
    }
}

/// Substrings of important lines. Such lines are similar only if they differ in nothing but numbers.
const GRAVE: [&str; 12] = [
    "warn",
    "fail",
    "denied",
    "refused",
    "timeout",
    "timed out",
    "unable",
    "cannot",
    "could not",
    "invalid",
    "killed",
    "abort",
];

fn is_grave(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| {
        let lower = bytes[at].to_ascii_lowercase();
        b"wfdrtucika".contains(&lower)
            && GRAVE.iter().filter(|word| word.as_bytes()[0] == lower).any(|word| {
                bytes[at..].get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
            })
    })
}

/// A part of a line: either a value or other text.
struct Part {
    length: usize,
    value: bool,
}

/// Maximum number of bytes in which a closing quote is searched for.
const MAX_QUOTE_BYTES: usize = 4_000;

/// A quotation with more words than this, or at the beginning of a line, is prose and not a value.
const MAX_VALUE_WORDS: usize = 3;

/// The end of the quotation at `at` if it is prose, else 0. Quotations in front of `prose_end` are part of prose that
/// was already read.
fn sentence(bytes: &[u8], at: usize, prose_end: usize) -> usize {
    if at < prose_end || bytes[at] != b'"' {
        return 0;
    }
    // This end prevents a second search through an unclosed quotation.
    let Some(length) = quotation(&bytes[at..]) else { return at + MAX_QUOTE_BYTES };
    let words = bytes[at..at + length].split(|byte| *byte == b' ').count();
    if at == 0 || words > MAX_VALUE_WORDS { at + length } else { 0 }
}

/// The part at `at`. Quotations in front of `prose_end` are prose.
fn part(bytes: &[u8], at: usize, prose_end: usize) -> Part {
    let byte = bytes[at];
    if at >= prose_end
        && let Some(length) = quotation(&bytes[at..])
    {
        return Part { length, value: true };
    }
    let assigned = at >= 2 && bytes[at - 1] == b'=' && is_word(bytes[at - 2]);
    if assigned && !is_stop(byte) {
        let length = bytes[at..].iter().take_while(|byte| !is_stop(**byte)).count();
        return Part { length, value: true };
    }
    let length = run(&bytes[at..]);
    if length == 0 {
        return Part { length: 1, value: false };
    }
    Part { length, value: is_value(&bytes[at..at + length]) }
}

/// The length of the quotation at the start of `bytes`, including its quotes.
fn quotation(bytes: &[u8]) -> Option<usize> {
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let inside = bytes.iter().skip(1).take(MAX_QUOTE_BYTES);
    let mut escaped = false;
    for (at, byte) in inside.enumerate() {
        match byte {
            b'"' if !escaped => return Some(at + 2),
            _ => escaped = *byte == b'\\' && !escaped,
        }
    }
    None
}

/// True for a byte that ends a value after `=`.
fn is_stop(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b",;&)]}'\"=".contains(&byte)
}

/// The length of the name, number, path or address at the start of `bytes`.
fn run(bytes: &[u8]) -> usize {
    let inner = |at: usize| {
        let digit_before = at > 0 && bytes[at - 1].is_ascii_hexdigit();
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        match bytes[at] {
            b'-' | b'.' | b'/' | b'@' | b'~' | b'+' => true,
            b':' => next == b'/' || digit_before && next.is_ascii_hexdigit(),
            byte => is_word(byte),
        }
    };
    (0..bytes.len()).take_while(|at| inner(*at)).count()
}

/// A run of at least this many lower-case letters is an identifier, not a word.
const MIN_IDENTIFIER_LETTERS: usize = 24;

fn is_value(run: &[u8]) -> bool {
    let word = |part: &[u8]| part.len() >= MIN_IDENTIFIER_LETTERS && part.iter().all(u8::is_ascii_lowercase);
    has_digit(run) || run.contains(&b'/') && run.len() > 1 || run.split(|byte| !is_word(*byte)).any(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, two: &str) -> bool {
        Template::of(one).key == Template::of(two).key
    }

    #[test]
    fn values_make_no_difference() {
        for (one, two) in [
            ("10:00:01 app[17]: done in 3 ms", "11:30:59 app[4]: done in 12.5 ms"),
            ("from 10.0.0.1:80 id=a1", "from fe80:0:1:9 id=zz"),
            ("read /etc/a/b.conf ok", "read /usr/c ok"),
            ("user=root ok", "user=anna ok"),
            ("\t\"GET /a\" 200 \"x y\"", "\t\"PUT /b/c\" 404 \"-\""),
            ("key abcdefghijklmnopqrstuvwxyz", "key zyxwvutsrqponmlkjihgfedcba"),
            ("get https://a.example/x?y=1 now", "get http://b.example/z?y=2 now"),
        ] {
            assert!(alike(one, two), "{one} | {two}");
        }
    }

    #[test]
    fn words_do() {
        for (one, two) in [
            ("session opened", "session closed"),
            ("{\"m\": \"this is what it prose_end\"}", "{\"m\": \"that is what it prose_end\"}"),
            ("\"at the beginning\"", "\"of a line\""),
            ("WARN disk=sda full", "WARN disk=sdb full"),
            ("login failed for user=\"x\"", "login failed for user=\"y\""),
        ] {
            assert!(!alike(one, two), "{one} | {two}");
        }
        assert!(alike("WARN disk=sda 90 %", "WARN disk=sda 91 %"));
    }

    #[test]
    fn values_are_distinguished() {
        let values = |line: &str| Template::of(line).fields;
        assert_eq!(values("GET /a 200"), values("PUT /a 200"));
        assert_ne!(values("GET /a 200"), values("GET /a 500"));
        for odd in ["", "\"", "=", "a=", "\"\\\"", "é=é", ":", "::", "日本 \"語", "\u{0}"] {
            let _ = values(odd);
        }
    }
}

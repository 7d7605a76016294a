//! A text without its terminal codes, and a map back to the original offsets.

use std::ops::Range;

use memchr::memchr2;

/// A text without terminal codes.
pub(super) struct PlainValue {
    pub(super) text: String,
    /// The start of each run of text: in the plain text, and in the original.
    runs: Vec<(usize, usize)>,
}

/// The escape character, raw and in the spellings of JSON and source code.
const ESCAPES: [&str; 5] = ["\u{1b}", "\\u001b", "\\u001B", "\\x1b", "\\033"];

impl PlainValue {
    /// Removes the terminal codes from `text`; `None` when it contains none.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut plain = Self { text: String::new(), runs: Vec::new() };
        let (mut from, mut at) = (0, 0);
        while let Some(found) = memchr2(0x1b, b'\\', &text.as_bytes()[at..]) {
            at += found;
            let length = code(&text[at..]);
            if length > 0 {
                plain.keep(text, from..at);
                from = at + length;
            }
            at += length.max(1);
        }
        if from == 0 {
            return None;
        }
        plain.keep(text, from..text.len());
        Some(plain)
    }

    fn keep(&mut self, text: &str, span: Range<usize>) {
        self.runs.push((self.text.len(), span.start));
        self.text.push_str(&text[span]);
    }

    /// The range in the original that corresponds to `span`, including the codes inside it.
    pub(super) fn span(&self, span: Range<usize>) -> Range<usize> {
        self.origin(span.start)..self.origin(span.end.saturating_sub(1)) + 1
    }

    fn origin(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|&(here, _)| here <= at).saturating_sub(1);
        let (here, there) = self.runs.get(run).copied().unwrap_or_default();
        there + (at - here)
    }
}

/// The length of the terminal code at the start of `text`, or 0.
fn code(text: &str) -> usize {
    let Some(escape) = ESCAPES.iter().find(|escape| text.starts_with(**escape)) else { return 0 };
    let rest = &text.as_bytes()[escape.len()..];
    let length = match rest.first() {
        Some(b'[') => control(rest),
        Some(b']') => command(rest),
        _ => 0,
    };
    if length == 0 { 0 } else { escape.len() + length }
}

/// The length of a control sequence: `[`, parameters, a final letter.
fn control(rest: &[u8]) -> usize {
    let parameters = rest[1..].iter().take(32).take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    if rest.get(1 + parameters).is_some_and(|byte| matches!(byte, 0x40..=0x7e)) { parameters + 2 } else { 0 }
}

/// The length of an operating system command: `]`, a text such as a link's target, then a bell, or an escape character
/// and a backslash.
fn command(rest: &[u8]) -> usize {
    let end = rest.iter().take(2048).position(|byte| matches!(byte, 0x07 | 0x1b | b'\n'));
    match end.map(|end| (end, rest[end], rest.get(end + 1))) {
        Some((end, 0x07, _)) => end + 1,
        Some((end, 0x1b, Some(b'\\'))) => end + 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_found_where_they_stood() {
        let text = "a\u{1b}[31mbc\u{1b}[0md \\u001b[1me\u{1b}]8;;x\u{7}f";
        let plain = PlainValue::of(text).unwrap();
        assert_eq!(plain.text, "abcd ef");
        assert_eq!(&text[plain.span(1..3)], "bc");
        assert_eq!(&text[plain.span(0..4)], "a\u{1b}[31mbc\u{1b}[0md");
        assert_eq!(&text[plain.span(5..7)], "e\u{1b}]8;;x\u{7}f");
    }

    #[test]
    fn what_is_no_code_is_kept() {
        for text in ["", "a\\nb", "\u{1b}", "\u{1b}[", "\u{1b}[31", "\\u001b", "C:\\x1b", "\u{1b}]8;;x\n"] {
            assert!(PlainValue::of(text).is_none(), "{text:?}");
        }
    }
}

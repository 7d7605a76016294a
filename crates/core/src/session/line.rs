//! Splits a text into lines, and each line into gutter number and content.

use std::ops::Range;

/// The byte offsets of a line and its parts in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SessionLine {
    pub(super) start: usize,
    /// Start of the digits, or of the line if it has no gutter.
    digits: usize,
    /// Start of the mark between number and content.
    mark: usize,
    /// Start of the content.
    content: usize,
    /// End of the line, without its line end.
    pub(super) end: usize,
    /// The line number in the gutter.
    pub(super) number: Option<usize>,
    /// True when the line is a reference; no other reference may lead to it.
    pub(super) is_reference: bool,
}

/// Marks between number and content.
const MARKS: [&str; 3] = ["\t", "→", ": "];

/// The maximum number of spaces in front of a line number.
const MAX_PADDING: usize = 12;

/// The maximum number of digits of a line number.
const MAX_DIGITS: usize = 7;

/// The lines of `part` of a text.
pub(super) fn lines(text: &str, part: Range<usize>) -> Vec<SessionLine> {
    let mut start = part.start;
    let line = |line: &str| {
        let line = SessionLine::of(line, start);
        start = line.end + 1;
        line
    };
    text[part].split('\n').map(line).collect()
}

/// Sets the numbers of empty lines between numbered ones, if the gutter omits them.
pub(super) fn number_empty(lines: &mut [SessionLine]) {
    let mut last: Option<(usize, usize)> = None;
    for at in 0..lines.len() {
        let Some(number) = lines[at].number else {
            last = last.filter(|_| lines[at].start == lines[at].end);
            continue;
        };
        if let Some((before, first)) = last.filter(|(before, first)| first + (at - before) == number) {
            (before..at).for_each(|empty| lines[empty].number = Some(first + (empty - before)));
        }
        last = Some((at, number));
    }
}

impl SessionLine {
    fn of(line: &str, start: usize) -> Self {
        let end = start + line.len();
        let plain = Self {
            start,
            digits: start,
            mark: start,
            content: start,
            end,
            number: None,
            is_reference: false,
        };
        let bytes = line.as_bytes();
        let padding = bytes.iter().take(MAX_PADDING).take_while(|byte| **byte == b' ').count();
        let count =
            bytes[padding..].iter().take(MAX_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 || count > MAX_DIGITS || bytes[padding] == b'0' {
            return plain;
        }
        let mark = padding + count;
        let Some(sign) = MARKS.iter().find(|sign| line[mark..].starts_with(**sign)) else { return plain };
        let number = line[padding..mark].parse().ok();
        let (digits, mark, content) = (start + padding, start + mark, start + mark + sign.len());
        Self { digits, mark, content, number, ..plain }
    }

    /// The whole line.
    pub(super) fn full<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }

    /// The line without its gutter.
    pub(super) fn content<'t>(&self, text: &'t str) -> &'t str {
        &text[self.content..self.end]
    }

    /// Writes this line's gutter with another number.
    pub(super) fn push_gutter(&self, text: &str, number: usize, out: &mut String) {
        if self.mark == self.content {
            return;
        }
        let digits = number.to_string();
        let width = if self.digits > self.start { self.mark - self.start } else { 0 };
        out.extend(std::iter::repeat_n(' ', width.saturating_sub(digits.len())));
        out.push_str(&digits);
        out.push_str(&text[self.mark..self.content]);
    }

    /// True when `push_gutter` of `other` would write exactly this line's gutter.
    pub(super) fn has_gutter_of(&self, text: &str, other: &Self, others: &str) -> bool {
        let (padded, sign) = (self.digits > self.start, &text[self.mark..self.content]);
        let width = other.mark - other.start;
        let fits = if other.digits > other.start {
            self.mark - self.start == width.max(self.mark - self.digits)
        } else {
            !padded
        };
        fits && sign == &others[other.mark..other.content]
    }
}

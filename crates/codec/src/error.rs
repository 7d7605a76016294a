//! Reports where a text stopped being of its form, and what was expected there.

use std::borrow::Cow;
use std::fmt;

/// A text is not of the expected form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// Line of the fault, from 1.
    pub line: usize,
    /// Column of the fault in characters, from 1.
    pub column: usize,
    /// What the form allows there.
    pub expected: String,
    /// What is there instead.
    pub found: String,
}

/// A fault while a text is read. Its line and column are computed only when it is reported: readers that try several
/// alternatives would count lines again and again.
#[derive(Debug)]
pub(crate) struct ReadFault {
    /// The byte.
    pub(crate) at: usize,
    /// What the form allows there.
    pub(crate) expected: Cow<'static, str>,
}

impl ReadFault {
    /// The error of this fault in `source`.
    pub(crate) fn within(self, source: &str) -> DecodeError {
        let at = floor_char(source, self.at);
        let before = &source[..at];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        DecodeError {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[start..].chars().count() + 1,
            expected: self.expected.into_owned(),
            found: name_next(&source[at..]),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, expected, found } = self;
        write!(f, "line {line}, column {column}: expected {expected}, found {found}")
    }
}

impl std::error::Error for DecodeError {}

fn floor_char(source: &str, offset: usize) -> usize {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn name_next(rest: &str) -> String {
    match rest.chars().next() {
        None => "the end".into(),
        Some('\n') => "the end of the line".into(),
        Some(next) => format!("{next:?}"),
    }
}

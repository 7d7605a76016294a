//! Reports the position where a text cannot be decoded, and what was expected there.

use std::borrow::Cow;
use std::fmt;

/// The error for a text that is not in the expected form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// The line of the error, from 1.
    pub line: usize,
    /// The column of the error in characters, from 1.
    pub column: usize,
    /// The input that the form allows at this position.
    pub expected: String,
    /// The input at this position.
    pub found: String,
}

/// An error while a text is read. Its line and column are computed only when it is reported, because decoders that
/// try several alternatives would otherwise count lines again and again.
#[derive(Debug)]
pub(crate) struct ReadFault {
    /// The offset of the error in bytes.
    pub(crate) at: usize,
    /// The input that the form allows at this position.
    pub(crate) expected: Cow<'static, str>,
}

impl ReadFault {
    /// Converts this fault to an error with its line and column in `source`.
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

//! Finds the start and the end of a value: in quotes, in escaped quotes, or without quotes.

use std::ops::Range;

use crate::redact::quote::Quote;
use crate::redact::style::PairStyle;

/// The range of a value in a text.
pub(super) struct ValueField {
    pub(super) span: Range<usize>,
    pub(super) frame: FieldFrame,
}

/// What delimits a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldFrame {
    Quotes,
    /// The end of the line, or a space.
    Line,
    /// Punctuation of a programming language: the value may be a name in a program.
    Code,
}

/// The maximum length of a value, in bytes.
const MAX_VALUE_BYTES: usize = 4096;
/// The maximum length, in bytes, of a value that contains a sign. A longer one is a chain of names and values.
const MAX_CHAIN_BYTES: usize = 128;

/// The value after `from`.
pub(super) fn read(text: &str, from: usize, style: PairStyle) -> Option<ValueField> {
    let bytes = text.as_bytes();
    let start = from + spaces(&bytes[from..]);
    // In maps of headers, the values are lists: `X-Api-Key:[…]`.
    let start = start + usize::from(bytes.get(start) == Some(&b'['));
    let marked =
        matches!(bytes.get(start..start + 2), Some([b'b' | b'r' | b'f' | b'u' | b'@', b'"' | b'\'']));
    let start = start + usize::from(marked);
    match Quote::open(bytes, start) {
        Some((quote, start)) => {
            let end = quote.close(bytes, start, MAX_VALUE_BYTES)?;
            Some(ValueField { span: start..end, frame: FieldFrame::Quotes })
        }
        None => bare(bytes, start, style),
    }
}

/// The number of spaces at the start of `bytes`; such spaces align columns.
pub(super) fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take(32).take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// True for bytes that a bare value may contain.
pub(super) fn is_bare(byte: u8) -> bool {
    let grammar = matches!(byte, b',' | b';' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'|');
    is_open(byte) && !grammar
}

fn is_sign(run: &[u8]) -> bool {
    matches!(run, [.., b'=' | b':'] | [.., b'%', b'3', b'D'])
}

/// True for bytes other than white space, quotes and backslashes.
pub(super) fn is_open(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

fn bare(bytes: &[u8], start: usize, style: PairStyle) -> Option<ValueField> {
    let holds = |byte: u8| match style {
        PairStyle::Setting => is_open(byte),
        // In a query string, `&` begins the next name.
        PairStyle::Tight => is_bare(byte) && byte != b'&',
        PairStyle::Loose => is_bare(byte),
    };
    let run = &bytes[start..bytes.len().min(start + MAX_VALUE_BYTES)];
    let mut length = 0;
    while let Some(&byte) = run.get(length).filter(|byte| holds(**byte)) {
        length += 1;
        if length > MAX_CHAIN_BYTES
            && is_sign(&run[..length])
            && run.get(length).is_some_and(|next| byte != *next && holds(*next))
        {
            return None;
        }
    }
    let frame = match bytes.get(start + length) {
        Some(b';') if style == PairStyle::Tight => FieldFrame::Line,
        Some(b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';') => FieldFrame::Code,
        _ => FieldFrame::Line,
    };
    (length < MAX_VALUE_BYTES).then_some(ValueField { span: start..start + length, frame })
}

//! Where a value begins and ends: in quotes, escaped quotes, or bare.

use std::ops::Range;

use crate::redact::quote::Quote;
use crate::redact::style::PairStyle;

/// A value's place in a text.
pub(super) struct ValueField {
    pub(super) span: Range<usize>,
    pub(super) frame: FieldFrame,
}

/// What holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldFrame {
    Quotes,
    /// It ends with its line, or with a space.
    Line,
    /// It ends where grammar goes on: it may be a name in a program.
    Code,
}

/// Values of more bytes than this are no secrets.
const LONGEST: usize = 4096;
/// Values of more bytes than this hold no sign but at their end: what goes on behind one is a chain of names.
const CHAIN: usize = 128;

/// The value behind `from`.
pub(super) fn read(text: &str, from: usize, style: PairStyle) -> Option<ValueField> {
    let bytes = text.as_bytes();
    let start = from + spaces(&bytes[from..]);
    // Headers in a map stand in lists: `X-Api-Key:[…]`.
    let start = start + usize::from(bytes.get(start) == Some(&b'['));
    let marked =
        matches!(bytes.get(start..start + 2), Some([b'b' | b'r' | b'f' | b'u' | b'@', b'"' | b'\'']));
    let start = start + usize::from(marked);
    match Quote::open(bytes, start) {
        Some((quote, start)) => {
            let end = quote.close(bytes, start, LONGEST)?;
            Some(ValueField { span: start..end, frame: FieldFrame::Quotes })
        }
        None => bare(bytes, start, style),
    }
}

/// Spaces that columns are aligned with.
pub(super) fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take(32).take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// True for bytes that a bare value may hold.
pub(super) fn is_bare(byte: u8) -> bool {
    let grammar = matches!(byte, b',' | b';' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'|');
    is_open(byte) && !grammar
}

fn is_sign(run: &[u8]) -> bool {
    matches!(run, [.., b'=' | b':'] | [.., b'%', b'3', b'D'])
}

/// True for bytes that neither space nor quotes nor an escape ends.
pub(super) fn is_open(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

fn bare(bytes: &[u8], start: usize, style: PairStyle) -> Option<ValueField> {
    let holds = |byte: u8| match style {
        PairStyle::Setting => is_open(byte),
        // In an address, the next name follows.
        PairStyle::Tight => is_bare(byte) && byte != b'&',
        PairStyle::Loose => is_bare(byte),
    };
    let run = &bytes[start..bytes.len().min(start + LONGEST)];
    let mut length = 0;
    while let Some(&byte) = run.get(length).filter(|byte| holds(**byte)) {
        length += 1;
        if length > CHAIN
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
    (length < LONGEST).then_some(ValueField { span: start..start + length, frame })
}

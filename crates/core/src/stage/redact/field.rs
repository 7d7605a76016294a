//! Where a value begins and ends: in quotes, escaped quotes, or bare.

use std::ops::Range;

use super::pair::Style;

/// A value's place in a text.
pub(super) struct Field {
    pub(super) span: Range<usize>,
    pub(super) frame: Frame,
}

/// What holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    Quotes,
    /// It ends with its line, or with a space.
    Line,
    /// It ends where grammar goes on: it may be a name in a program.
    Code,
}

/// Values of more bytes than this are no secrets.
const LONGEST: usize = 4096;
/// Bare ones are shorter still: whoever has a long one puts it in quotes.
const LONGEST_BARE: usize = 1024;

/// The value behind `from`.
pub(super) fn read(text: &str, from: usize, style: Style) -> Option<Field> {
    let bytes = text.as_bytes();
    let spaces = bytes[from..].iter().take(32).take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    let start = from + spaces;
    let marked =
        matches!(bytes.get(start..start + 2), Some([b'b' | b'r' | b'f' | b'u' | b'@', b'"' | b'\'']));
    let start = start + usize::from(marked);
    match (bytes.get(start)?, bytes.get(start + 1)) {
        (&quote @ (b'"' | b'\'' | b'`'), _) => quoted(bytes, start + 1, quote),
        (b'\\', Some(&quote @ (b'"' | b'\''))) => escaped(bytes, start + 2, quote),
        _ => bare(bytes, start, style),
    }
}

/// True for bytes that a bare value may hold.
pub(super) fn is_bare(byte: u8) -> bool {
    let grammar = matches!(byte, b',' | b';' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'|');
    is_open(byte) && !grammar
}

/// True for bytes that neither space nor quotes nor an escape ends.
fn is_open(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\')
}

fn quoted(bytes: &[u8], start: usize, quote: u8) -> Option<Field> {
    let mut at = start;
    while at < start + LONGEST {
        match bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 2,
            byte if *byte == quote => return Some(Field { span: start..at, frame: Frame::Quotes }),
            _ => at += 1,
        }
    }
    None
}

fn escaped(bytes: &[u8], start: usize, quote: u8) -> Option<Field> {
    let near = &bytes[start..bytes.len().min(start + LONGEST)];
    let length = near.windows(2).position(|pair| pair == [b'\\', quote])?;
    let sound = !near[..length].contains(&b'\n');
    sound.then_some(Field { span: start..start + length, frame: Frame::Quotes })
}

fn bare(bytes: &[u8], start: usize, style: Style) -> Option<Field> {
    let holds = |byte: u8| match style {
        Style::Setting => is_open(byte),
        // In an address, the next name follows.
        Style::Tight => is_bare(byte) && byte != b'&',
        Style::Loose => is_bare(byte),
    };
    let length = bytes[start..].iter().take(LONGEST_BARE).take_while(|&&byte| holds(byte)).count();
    let frame = match bytes.get(start + length) {
        Some(b';') if style == Style::Tight => Frame::Line,
        Some(b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';') => Frame::Code,
        _ => Frame::Line,
    };
    (length < LONGEST_BARE).then_some(Field { span: start..start + length, frame })
}

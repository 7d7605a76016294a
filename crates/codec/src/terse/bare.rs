//! Which strings and keys may stand without quotes: those that no reader could take for anything else.

use super::style::Style;
use crate::scan::number_length;

/// True when `text`, as JSON spells it, may stand bare as a string value.
pub(super) fn is_bare(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return false };
    first != b' '
        && last != b' '
        && bytes.iter().all(|&byte| !ends_bare(byte) && byte != b'\\' && byte != 0x7F)
        && !is_word(text)
        && !(is_numeric(first) && (number_length(bytes) == bytes.len() || Style::intro(text).is_some()))
        && (text.is_ascii() || !text.chars().any(is_odd_space))
}

/// True for a byte that ends a bare string wherever it stands.
pub(super) fn ends_bare(byte: u8) -> bool {
    matches!(byte, 0..=0x1F | b',' | b'"' | b'{' | b'}' | b'[' | b']' | b'(' | b')')
}

/// True when `key`, as JSON spells it, may stand bare as a key.
pub(super) fn is_bare_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(is_key_byte)
}

/// True for a byte that a bare key may hold.
pub(super) fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'$' | b'@' | b'+')
}

fn is_word(text: &str) -> bool {
    matches!(text, "null" | "true" | "false")
}

fn is_numeric(first: u8) -> bool {
    first == b'-' || first.is_ascii_digit()
}

/// Characters that a terminal or a library may take for a line's end or drop.
pub(super) fn is_odd_space(character: char) -> bool {
    matches!(character, '\u{80}'..='\u{9f}' | '\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

//! Decides which strings and keys need no quotes: those that cannot be mistaken for anything else.

use tersely_json::number_length;

use super::style::ListStyle;

/// How a byte affects a bare string (a string without quotes).
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Byte {
    /// The byte is allowed anywhere.
    Plain,
    /// The byte is part of a character that may be forbidden.
    Wide,
    /// The byte is not allowed.
    Barred,
    /// The byte ends the string.
    End,
}

const BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Plain; 256];
    let mut byte: u8 = 0;
    loop {
        bytes[byte as usize] = match byte {
            0..=0x1F | b',' | b'"' | b'{' | b'}' | b'[' | b']' | b'(' | b')' => Byte::End,
            b'\\' | 0x7F => Byte::Barred,
            0x80.. => Byte::Wide,
            _ => Byte::Plain,
        };
        if byte == u8::MAX {
            break bytes;
        }
        byte += 1;
    }
};

/// True when the JSON-escaped content `text` can be a string value without quotes.
pub(super) fn is_bare(text: &str) -> bool {
    run(text).is_some_and(|length| length == text.len())
        && !is_word(text)
        && number_length(text.as_bytes()) != text.len()
}

/// The length of the word, number or bare string at the start of `text`; `None` when there is none.
pub(super) fn run(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut worst = Byte::Plain;
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let kind = BYTES[usize::from(byte)];
        if kind == Byte::End {
            break;
        }
        if kind > worst {
            worst = kind;
        }
        length += 1;
    }
    let text = &text[..length];
    let sound = length > 0
        && worst < Byte::Barred
        && bytes[0] != b' '
        && bytes[length - 1] != b' '
        && !(worst == Byte::Wide && text.chars().any(is_odd_space))
        && !(bytes[0].is_ascii_digit() && bytes[length - 1] == b's' && ListStyle::intro(text).is_some());
    sound.then_some(length)
}

/// True for the words that have a meaning of their own in JSON.
fn is_word(text: &str) -> bool {
    matches!(text, "null" | "true" | "false")
}

/// True when a key with the JSON-escaped content `key` needs no quotes.
pub(super) fn is_bare_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(is_key_byte)
}

/// True for a byte that is allowed in a bare key.
pub(super) fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'$' | b'@' | b'+')
}

/// True for characters that a terminal or a library may drop, or may treat as a line break.
pub(super) fn is_odd_space(character: char) -> bool {
    matches!(character, '\u{80}'..='\u{9f}' | '\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

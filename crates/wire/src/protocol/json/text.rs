//! The characters of a JSON string, and back.
//!
//! A string that is not one to the letter (a lone surrogate, a bare control character, broken UTF-8 or a broken
//! escape) has no characters that could be written again, so it is declined as a whole.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// The characters of `token`, a JSON string with its quotes.
pub(crate) fn decode(token: &[u8]) -> Option<Cow<'_, str>> {
    let content = token.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    // Names and words are short and plain: one look at each byte does.
    if content.len() <= SHORT && content.iter().all(|&byte| (b' '..0x7F).contains(&byte) && byte != b'\\') {
        return str::from_utf8(content).ok().map(Cow::Borrowed);
    }
    // The smallest byte, not the first small one: this way the compiler looks at many bytes at once.
    if content.iter().fold(u8::MAX, |least, &byte| least.min(byte)) < 0x20 {
        return None;
    }
    let content = str::from_utf8(content).ok()?;
    match memchr(b'\\', content.as_bytes()) {
        None => Some(Cow::Borrowed(content)),
        Some(first) => unescape(content, first).map(Cow::Owned),
    }
}

/// Writes `text` as a JSON string, with its quotes.
pub(crate) fn encode(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut from = 0;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            out.extend_from_slice(&text.as_bytes()[from..at]);
            escape(out, byte);
            from = at + 1;
        }
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
    out.push(b'"');
}

/// The JSON string of a text.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    encode(&mut out, text);
    String::from_utf8_lossy(&out).into_owned()
}

/// The characters of a place in a JSON text, as they are written there.
pub(crate) fn spelled(place: &Range<usize>, data: &[u8]) -> String {
    String::from_utf8_lossy(data.get(place.clone()).unwrap_or_default()).into_owned()
}

/// How long a name may be to be looked at byte by byte.
const SHORT: usize = 32;

fn unescape(content: &str, first: usize) -> Option<String> {
    let bytes = content.as_bytes();
    let mut out = String::with_capacity(content.len());
    let mut from = 0;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&content[from..at]);
        let (character, used) = character(&bytes[at..])?;
        out.push(character);
        from = at + used;
        next = memchr(b'\\', &bytes[from..]).map(|found| from + found);
    }
    out.push_str(&content[from..]);
    Some(out)
}

/// The character that the escape at the start of `bytes` stands for, and the bytes that it takes.
pub(crate) fn character(bytes: &[u8]) -> Option<(char, usize)> {
    let plain = match bytes.get(1)? {
        b'n' => '\n',
        b'"' => '"',
        b'\\' => '\\',
        b't' => '\t',
        b'r' => '\r',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return wide(bytes),
        _ => return None,
    };
    Some((plain, 2))
}

/// `\uXXXX`, or two of them where they are the halves of one character.
fn wide(bytes: &[u8]) -> Option<(char, usize)> {
    let high = hex(bytes.get(2..6)?)?;
    if !(0xD800..0xDC00).contains(&high) {
        return Some((char::from_u32(high)?, 6));
    }
    let low = hex(bytes.get(6..12)?.strip_prefix(b"\\u")?)?;
    let offset = low.checked_sub(0xDC00).filter(|&offset| offset < 0x400)?;
    Some((char::from_u32(0x10000 + ((high - 0xD800) << 10) + offset)?, 12))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let (high, low) = (DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]);
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(token: &str, expected: Option<&str>) {
        assert_eq!(decode(token.as_bytes()).as_deref(), expected, "{token}");
    }

    #[test]
    fn escapes_are_read() {
        check(r#""plain é""#, Some("plain é"));
        check(r#""a\n\t\"\\\/\b\f\r""#, Some("a\n\t\"\\/\u{8}\u{c}\r"));
        check(r#""\u00e9\u00E9\ud83d\ude00.""#, Some("éé😀."));
        check(r#""""#, Some(""));
    }

    #[test]
    fn what_has_no_characters_is_declined() {
        for token in [
            r#""\ud83d""#,
            r#""\ude00x""#,
            r#""\ud83d\ud83d\ude00""#,
            r#""\ud83d\n\ude00""#,
            r#""\x""#,
            r#""\u12g4""#,
            r#""\u12""#,
            r#""\u+123""#,
            "\"a\nb\"",
            "\"",
            "a",
            "",
            "{}",
        ] {
            check(token, None);
        }
        assert_eq!(decode(b"\"\xff\""), None);
    }

    #[test]
    fn texts_come_back() {
        let all: String = (0..0x250).filter_map(char::from_u32).collect();
        for text in ["", "plain", "q\"\\/", all.as_str(), "é😀\u{2028}\u{ffff}"] {
            let mut out = Vec::new();
            encode(&mut out, text);
            assert_eq!(decode(&out).as_deref(), Some(text));
            assert_eq!(serde_json::from_slice::<String>(&out).ok().as_deref(), Some(text));
        }
    }
}

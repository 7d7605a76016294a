//! Limits the work that stages may do for one text. A larger text is not parsed: it is sent unchanged, or capped.
//!
//! The limits count bytes and characters of the text, not time, so every machine makes the same decision.

/// The maximum size of a text that is parsed, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// The maximum number of lines, fields and brackets in a text that is parsed: stages may allocate memory for each.
const MAX_PARTS: usize = 1 << 17;

/// True when a text may be parsed.
pub(crate) fn is_within(text: &str) -> bool {
    let is_part = |byte: &&u8| matches!(byte, b'\n' | b',' | b'[' | b'{' | b'<');
    text.len() <= MAX_BYTES
        && (text.len() <= MAX_PARTS || text.as_bytes().iter().filter(is_part).count() <= MAX_PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_parts_are_bounded() {
        assert!(is_within("") && is_within(&"a".repeat(MAX_BYTES)) && !is_within(&"a".repeat(MAX_BYTES + 1)));
        for part in ["\n", ",", "[", "{", "<"] {
            assert!(is_within(&part.repeat(MAX_PARTS)) && !is_within(&part.repeat(MAX_PARTS + 1)), "{part}");
        }
    }
}

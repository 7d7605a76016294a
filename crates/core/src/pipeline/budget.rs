//! How much work one text may be. One that is more is not taken apart: it stays as it came, or is cut as a whole.
//!
//! The bounds are counted in what stands in the text, so that the same text gets the same answer on every machine.

/// The bytes of a text that is taken apart.
const BYTES: usize = 4 << 20;

/// Its lines, fields and brackets: what a stage may keep something for.
const PARTS: usize = 1 << 17;

/// True when a text may be taken apart.
pub(crate) fn is_within(text: &str) -> bool {
    let is_part = |byte: &&u8| matches!(byte, b'\n' | b',' | b'[' | b'{' | b'<');
    text.len() <= BYTES && (text.len() <= PARTS || text.as_bytes().iter().filter(is_part).count() <= PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_parts_are_bounded() {
        assert!(is_within("") && is_within(&"a".repeat(BYTES)) && !is_within(&"a".repeat(BYTES + 1)));
        for part in ["\n", ",", "[", "{", "<"] {
            assert!(is_within(&part.repeat(PARTS)) && !is_within(&part.repeat(PARTS + 1)), "{part}");
        }
    }
}

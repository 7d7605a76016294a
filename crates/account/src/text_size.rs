//! Measures a text: bytes, characters, lines and a hash.

use crate::hash::stable_hash;

/// The size of a text, and a hash that identifies it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TextSize {
    /// The number of bytes.
    pub bytes: usize,
    /// The number of characters.
    pub chars: usize,
    /// The number of lines.
    pub lines: usize,
    /// The hash of the text.
    pub hash: u64,
}

impl TextSize {
    /// Measures a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let ends = text.bytes().filter(|byte| *byte == b'\n').count();
        let lines = ends + usize::from(!text.is_empty() && !text.ends_with('\n'));
        Self { bytes: text.len(), chars: text.chars().count(), lines, hash: stable_hash(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_measured() {
        let of = |text| {
            let TextSize { bytes, chars, lines, .. } = TextSize::of(text);
            (bytes, chars, lines)
        };
        assert_eq!(of(""), (0, 0, 0));
        assert_eq!(of("é\nb"), (4, 3, 2));
        assert_eq!(of("a\nb\n"), (4, 4, 2));
        assert_ne!(TextSize::of("a").hash, TextSize::of("b").hash);
    }
}

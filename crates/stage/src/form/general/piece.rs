//! Splits texts that are too long to write at once into pieces.

use crate::form::general::notation::HEAD;

/// Maximum bytes of a piece.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// The pieces of a text, cut at line ends if possible.
pub(super) fn cut(mut text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while text.len() > MAX_BYTES {
        let most = text.floor_char_boundary(MAX_BYTES);
        let (piece, rest) = text.split_at(text[..most].rfind('\n').map_or(most, |end| end + 1));
        pieces.push(piece);
        text = rest;
    }
    pieces.push(text);
    pieces
}

/// The pieces concatenated, each written or unchanged, and their lengths; `None` if none was written.
pub(super) fn join(pieces: &[&str], write: impl Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let (mut text, mut lengths, mut is_written) = (String::new(), Vec::new(), false);
    for piece in pieces {
        let start = text.len();
        match write(piece) {
            Some(written) => {
                is_written = true;
                text.push_str(&written);
            }
            // It would be mistaken for a written piece.
            None if piece.starts_with(HEAD) => return None,
            None => text.push_str(piece),
        }
        lengths.push((text.len() - start).to_string());
    }
    is_written.then(|| (text, lengths.join(" ")))
}

/// The pieces of a written text, by their lengths.
pub(super) fn split<'t>(mut text: &'t str, lengths: &str) -> Option<Vec<&'t str>> {
    let mut pieces = Vec::new();
    for length in lengths.split(' ') {
        let digits = Some(length).filter(|length| length.bytes().all(|byte| byte.is_ascii_digit()))?;
        let (piece, rest) = text.split_at_checked(digits.parse().ok()?)?;
        pieces.push(piece);
        text = rest;
    }
    text.is_empty().then_some(pieces)
}

//! Splits a text that is too long to encode at once into pieces.

use crate::form::general::notation::HEAD;

/// The maximum length of a piece in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// Cuts a text into pieces, at line ends if possible.
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

/// Encodes each piece, or leaves it unchanged if `write` declines. Returns the joined pieces and their lengths; `None`
/// if every piece is unchanged.
pub(super) fn join(pieces: &[&str], write: impl Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let (mut text, mut lengths, mut is_written) = (String::new(), Vec::new(), false);
    for piece in pieces {
        let start = text.len();
        match write(piece) {
            Some(written) => {
                is_written = true;
                text.push_str(&written);
            }
            // The decoder would mistake the unchanged piece for an encoded one.
            None if piece.starts_with(HEAD) => return None,
            None => text.push_str(piece),
        }
        lengths.push((text.len() - start).to_string());
    }
    is_written.then(|| (text, lengths.join(" ")))
}

/// Splits a joined text into its pieces, whose lengths are given.
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

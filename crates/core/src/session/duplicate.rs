//! The reference for a result that equals an earlier one.

use crate::session::shown_result::ShownResult;
use crate::session::words::{self, Lines, Reference};

/// A reference to a whole earlier result, below a line for programs that contains its call id.
pub(super) fn marker(shown: &ShownResult, name: &str) -> String {
    let words = Reference { lines: Lines::All, name };
    let tool = if shown.tool.is_empty() { "generic" } else { &shown.tool };
    if is_plain(&shown.id) && is_plain(tool) {
        format!("[Duplicate of {} ({tool}); see earlier result]\n{words}", shown.id)
    } else {
        words.to_string()
    }
}

/// The name of the earlier result that a text refers to as a whole.
pub(super) fn whole(text: &str) -> Option<&str> {
    let words = match text.split_once('\n') {
        Some((first, words)) if first.starts_with("[Duplicate of ") => words,
        Some(_) => return None,
        None => text,
    };
    words::read(words).filter(|reference| reference.lines == Lines::All).map(|reference| reference.name)
}

/// True when a word cannot be mistaken for part of our notation.
fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:|/".contains(&byte);
    !word.is_empty() && word.len() <= MAX_ID_BYTES && word.bytes().all(plain)
}

/// The maximum length of an id that is written, in bytes.
const MAX_ID_BYTES: usize = 128;

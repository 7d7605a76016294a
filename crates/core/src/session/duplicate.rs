//! The words that stand for all of a result which an earlier one says already.

use crate::session::shown::Shown;
use crate::session::words::{self, Lines, Reference};

/// The words for all of an earlier result, below the line that names it by its call, for programs.
pub(super) fn marker(shown: &Shown, name: &str) -> String {
    let words = Reference { lines: Lines::All, name };
    let tool = if shown.tool.is_empty() { "generic" } else { &shown.tool };
    if is_plain(&shown.id) && is_plain(tool) {
        format!("[Duplicate of {} ({tool}); see earlier result]\n{words}", shown.id)
    } else {
        words.to_string()
    }
}

/// The name of the result that a text is said to be all of.
pub(super) fn whole(text: &str) -> Option<&str> {
    let words = match text.split_once('\n') {
        Some((first, words)) if first.starts_with("[Duplicate of ") => words,
        Some(_) => return None,
        None => text,
    };
    words::read(words).filter(|reference| reference.lines == Lines::All).map(|reference| reference.name)
}

/// True of words that cannot be taken for notation.
fn is_plain(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:|/".contains(&byte);
    !word.is_empty() && word.len() <= MAX_ID && word.bytes().all(plain)
}

/// Ids are shorter.
const MAX_ID: usize = 128;

//! The words for a result that stands earlier as a whole: `[Duplicate of call_1 (bash); see earlier result]`.
//!
//! A text that merely begins like them is sent with one more `[` and comes back with one fewer.

use super::shown::{can_be_named, is_plain};

const OPEN: &str = "[Duplicate of ";
const CLOSE: &str = "); see earlier result]";

/// The words for the result of a call.
pub(super) fn marker(id: &str, tool: &str) -> String {
    let tool = if tool.is_empty() { "generic" } else { tool };
    format!("{OPEN}{id} ({tool}{CLOSE}")
}

/// The call that such words name, if they are all of a text.
pub(super) fn id(text: &str) -> Option<&str> {
    let (id, tool) = text.strip_prefix(OPEN)?.strip_suffix(CLOSE)?.split_once(" (")?;
    (can_be_named(id) && is_plain(tool)).then_some(id)
}

/// The text as it may be sent when it stands for itself: one that begins like the words begins otherwise.
pub(crate) fn escape(text: &str) -> Option<String> {
    brackets(text).map(|_| format!("[{text}"))
}

/// The text that `escape` gave another beginning.
pub(crate) fn unescape(text: &str) -> Option<&str> {
    brackets(text).filter(|count| *count > 1).map(|_| &text[1..])
}

/// How many brackets stand before the words, if it is the words.
fn brackets(text: &str) -> Option<usize> {
    let words = text.trim_start_matches('[');
    let count = text.len() - words.len();
    (count > 0 && words.starts_with(OPEN.trim_start_matches('['))).then_some(count)
}

//! The words for a result that stands earlier as a whole: `[Duplicate of call_1 (bash); see earlier result]`.
//!
//! A text that merely plays them begins with `[Duplicate1 ` when it is sent, at the same cost; and one that plays that
//! has the next number.

use super::shown::{can_be_named, is_plain};
use crate::numeral;

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

/// What a text begins with that merely plays the words, before its number, which stands for ` of`.
const FOREIGN: &str = "[Duplicate";

/// The text as it may be sent when it stands for itself: one that plays the words begins otherwise.
pub(crate) fn escape(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix(OPEN).filter(|rest| rest.ends_with(CLOSE)) {
        return Some(format!("{FOREIGN}1 {rest}"));
    }
    let (number, rest) = foreign(text)?;
    Some(format!("{FOREIGN}{} {rest}", numeral::next(number)))
}

/// The text that `escape` gave another beginning.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let (number, rest) = foreign(text)?;
    Some(match numeral::previous(number) {
        Some(number) => format!("{FOREIGN}{number} {rest}"),
        None => format!("{OPEN}{rest}"),
    })
}

/// The number of a text that plays the words, and the rest.
fn foreign(text: &str) -> Option<(&str, &str)> {
    let (number, rest) = numeral::split(text.strip_prefix(FOREIGN)?);
    let rest = rest.strip_prefix(' ').filter(|rest| !number.is_empty() && rest.ends_with(CLOSE))?;
    Some((number, rest))
}

//! The first line of a text that has an original behind it: `<<<SHADOW:shadow_…>>>`.
//!
//! The name is a function of the original alone, so that any replica, after any restart, writes the same bytes.
//! A text that merely begins like one begins with `<<<TEXT1:` when it is sent, at the same cost; and one that begins
//! like that has the next number.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::pipeline::numeral;

const OPEN: &str = "<<<SHADOW:";
const CLOSE: &str = ">>>\n";

/// A text of which detail was left out, as it was before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original<'a> {
    /// What the model asks for it by.
    pub id: String,
    /// The text, with secrets masked.
    pub text: Cow<'a, str>,
}

impl<'a> Original<'a> {
    /// The original `text`, under its name.
    #[must_use]
    pub fn of(text: Cow<'a, str>) -> Self {
        Self { id: name(&text), text }
    }

    /// `shown`, which stands for this text, under the line that names it.
    pub(crate) fn refer(&self, shown: &str) -> String {
        format!("{OPEN}{}{CLOSE}{shown}", self.id)
    }
}

/// What an original is called.
fn name(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let first = hash.iter().take(16).fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    format!("shadow_{first:032x}")
}

/// The first line of a text that stands for an original, and what is shown of that.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(OPEN)?;
    let id = &rest[..rest.find(CLOSE)?];
    let hex = id.strip_prefix("shadow_")?;
    let named = hex.len() == 32 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    named.then(|| text.split_at(OPEN.len() + id.len() + CLOSE.len()))
}

/// The name on the first line of such a text.
pub(crate) fn id(line: &str) -> &str {
    line.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE)).unwrap_or_default()
}

/// What a text begins with that merely plays a reference, before its number. Word and number are two tokens, as
/// `SHADOW` is.
const FOREIGN: &str = "<<<TEXT";

/// The text as it may be sent when it has no original: one that begins like a reference begins otherwise.
pub(crate) fn escape(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix(OPEN) {
        return Some(format!("{FOREIGN}1:{rest}"));
    }
    let (number, rest) = foreign(text)?;
    Some(format!("{FOREIGN}{}:{rest}", numeral::next(number)))
}

/// The text that `escape` gave another beginning.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let (number, rest) = foreign(text)?;
    Some(match numeral::previous(number) {
        Some(number) => format!("{FOREIGN}{number}:{rest}"),
        None => format!("{OPEN}{rest}"),
    })
}

/// The number of a text that plays a reference, and the rest.
fn foreign(text: &str) -> Option<(&str, &str)> {
    let (number, rest) = numeral::split(text.strip_prefix(FOREIGN)?);
    let rest = rest.strip_prefix(':').filter(|_| !number.is_empty())?;
    Some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_function_of_the_text() {
        let original = Original::of(Cow::Borrowed("abc"));
        assert_eq!(original.id, "shadow_ba7816bf8f01cfea414140de5dae2223");
        let text = original.refer("a");
        assert_eq!(split(&text), Some(("<<<SHADOW:shadow_ba7816bf8f01cfea414140de5dae2223>>>\n", "a")));
    }

    #[test]
    fn look_alikes_come_back() {
        for text in ["<<<SHADOW:x", "<<<SHADOW:shadow_1>>>\n", "<<<TEXT1:", "<<<TEXT999: x", "<<<TEXT01:"] {
            let sent = escape(text).unwrap();
            assert_eq!(split(&sent), None);
            assert_eq!(unescape(&sent).as_deref(), Some(text));
        }
        for text in ["", "<", "<<SHADOW:", "SHADOW:", " <<<SHADOW:", "<<<SHADOW", "<<<<SHADOW:", "<<<TEXT:"] {
            assert_eq!((escape(text), unescape(text)), (None, None), "{text}");
        }
    }

    #[test]
    fn only_our_own_line_is_a_reference() {
        for text in ["<<<SHADOW:shadow_1>>>\n", "<<<SHADOW:>>>\nx", "<<<SHADOW:shadow_é>>>\n", "<<<SHADOW:"]
        {
            assert_eq!(split(text), None);
        }
    }
}

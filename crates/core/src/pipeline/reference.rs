//! References: the first line of a text from which detail was cut, `<<<SHADOW:shadow_…>>>`, which contains the id of
//! its original.
//!
//! The id depends only on the original, so every replica writes the same bytes, even after a restart. A tool's text
//! that imitates such a line is escaped: `<<<TEXT1:` replaces its beginning, at the same cost. Text that already
//! contains this escape gets the next number. The first such line in a text shows whether the text was escaped.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::pipeline::escape;

const OPEN: &str = "<<<SHADOW:";
const CLOSE: &str = ">>>\n";

/// A text before detail was cut from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original<'a> {
    /// The id with which the model requests the original.
    pub id: String,
    /// The text, with secrets masked.
    pub text: Cow<'a, str>,
}

impl<'a> Original<'a> {
    /// Creates the original for `text`, with its id.
    #[must_use]
    pub fn of(text: Cow<'a, str>) -> Self {
        Self { id: name(&text), text }
    }

    /// The text `shown`, which is sent instead of this original, below the reference line.
    pub(crate) fn refer(&self, shown: &str) -> String {
        format!("{OPEN}{}{CLOSE}{shown}", self.id)
    }
}

/// The id of an original: a hash of its text.
fn name(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let first = hash.iter().take(16).fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    format!("shadow_{first:032x}")
}

/// Splits a text that begins with a reference into the reference line and the rest.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix(OPEN)?;
    let id = &rest[..rest.find(CLOSE)?];
    let hex = id.strip_prefix("shadow_")?;
    let is_name = hex.len() == 32 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_name.then(|| text.split_at(OPEN.len() + id.len() + CLOSE.len()))
}

/// The id in a reference line.
pub(crate) fn id(line: &str) -> &str {
    line.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE)).unwrap_or_default()
}

/// The text that replaces the beginning of an imitation, in front of its number. Word and number are two tokens, as
/// `SHADOW` is.
const FOREIGN: &str = "<<<TEXT";

/// Where imitations of our references are escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EscapeScope {
    /// Anywhere in the text.
    Everywhere,
    /// Only where they could be mistaken for ours: an agent's edit must quote the text exactly as it is in the file.
    Ambiguous,
}

/// Escapes imitations of references in a text that is sent without a reference of ours.
pub(crate) fn escape(scope: EscapeScope, text: &str) -> Option<String> {
    let found = find_imitations(text);
    let first = found.first()?;
    let is_plain = first.number.is_none() && first.at > 0;
    if scope == EscapeScope::Ambiguous && is_plain {
        return None;
    }
    Some(renumber(text, &found, |number| Some(number.map_or_else(|| "1".to_owned(), escape::next))))
}

/// Undoes `escape`.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let found = find_imitations(text);
    found.first()?.number?;
    Some(renumber(text, &found, |number| escape::previous(number?)))
}

/// A place in a text that looks like the beginning of a reference, or like its escape.
struct Imitation<'t> {
    at: usize,
    /// The number of bytes up to the colon.
    length: usize,
    /// The number inside an escaped marker; `None` for a look-alike that is not escaped.
    number: Option<&'t str>,
}

/// Finds every imitation in a text, in order.
fn find_imitations(text: &str) -> Vec<Imitation<'_>> {
    let ours = text.match_indices(OPEN).map(|(at, _)| Imitation { at, length: OPEN.len() - 1, number: None });
    let theirs = text.match_indices(FOREIGN).filter_map(|(at, _)| {
        let (number, rest) = escape::split(&text[at + FOREIGN.len()..]);
        let is_one = !number.is_empty() && rest.starts_with(':');
        is_one.then(|| Imitation { at, length: FOREIGN.len() + number.len(), number: Some(number) })
    });
    let mut found: Vec<_> = ours.chain(theirs).collect();
    found.sort_by_key(|mark| mark.at);
    found
}

/// Rewrites each imitation with the number that `number_of` returns, or without an escape if it returns `None`.
fn renumber(
    text: &str,
    found: &[Imitation<'_>],
    number_of: impl Fn(Option<&str>) -> Option<String>,
) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for mark in found {
        out.push_str(&text[from..mark.at]);
        match number_of(mark.number) {
            Some(number) => out.extend([FOREIGN, &number]),
            None => out.push_str(&OPEN[..OPEN.len() - 1]),
        }
        from = mark.at + mark.length;
    }
    out.push_str(&text[from..]);
    out
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

    /// Behaviour 6.3, 14.7.
    #[test]
    fn look_alikes_come_back_wherever_they_stand() {
        for text in [
            "<<<SHADOW:x",
            "<<<SHADOW:shadow_1>>>\n",
            "<<<TEXT1:",
            "<<<TEXT999: x",
            "<<<TEXT01:",
            " <<<SHADOW:",
            "<<<<SHADOW:",
            "a\n<<<SHADOW:x>>>\n<<<TEXT1:<<<SHADOW:<<<TEXT2:",
            "<<<TEXT1:\n<<<SHADOW:",
        ] {
            for scope in [EscapeScope::Everywhere, EscapeScope::Ambiguous] {
                let sent = escape(scope, text).unwrap_or_else(|| text.to_owned());
                assert_eq!(split(&sent), None);
                assert!(scope == EscapeScope::Ambiguous || !sent.contains(OPEN), "{sent}");
                assert_eq!(unescape(&sent).unwrap_or_else(|| sent.clone()), text, "{sent}");
            }
        }
        for text in ["", "<", "<<SHADOW:", "SHADOW:", "<<<SHADOW", "<<<TEXT:", "<<<TEXT1", "<<<TEXTx1:"] {
            assert_eq!((escape(EscapeScope::Everywhere, text), unescape(text)), (None, None), "{text}");
        }
    }

    /// Behaviour 6.3: an agent can edit the text that it read.
    #[test]
    fn text_that_may_be_edited_keeps_what_nobody_reads_as_ours() {
        let source = "const OPEN: &str = \"<<<SHADOW:\"; // not <<<TEXT1: yet\n";
        assert_eq!((escape(EscapeScope::Ambiguous, source), unescape(source)), (None, None));
        let file = "<<<SHADOW:shadow_1>>>\n";
        assert_eq!(escape(EscapeScope::Ambiguous, file).as_deref(), Some("<<<TEXT1:shadow_1>>>\n"));
    }

    #[test]
    fn only_our_own_line_is_a_reference() {
        for text in ["<<<SHADOW:shadow_1>>>\n", "<<<SHADOW:>>>\nx", "<<<SHADOW:shadow_é>>>\n", "<<<SHADOW:"]
        {
            assert_eq!(split(text), None);
        }
    }
}

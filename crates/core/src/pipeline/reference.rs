//! The first line of a text that has an original behind it: `<<<SHADOW:shadow_…>>>`.
//!
//! The name is a function of the original alone, so that any replica, after any restart, writes the same bytes.
//! A text that merely plays one has `<<<TEXT1:` in its place when it is sent, at the same cost, wherever it stands; and
//! one that has that gets the next number. The first of them in a text tells whether this was done.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::pipeline::escape;

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

/// What stands in the place of the beginning of a reference that is merely played, before its number. Word and number
/// are two tokens, as `SHADOW` is.
const FOREIGN: &str = "<<<TEXT";

/// How far look-alikes are told from our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Wherever they stand.
    Everywhere,
    /// Only where they would be read as ours: an edit must find the text as it is in its file.
    Verbatim,
}

/// The text as it may be sent when it has no original: what plays a reference in it is told from ours.
pub(crate) fn escape(telling: Telling, text: &str) -> Option<String> {
    let found = played(text);
    let first = found.first()?;
    let is_plain = first.number.is_none() && first.at > 0;
    if telling == Telling::Verbatim && is_plain {
        return None;
    }
    Some(replaced(text, &found, |number| Some(number.map_or_else(|| "1".to_owned(), escape::next))))
}

/// The text that `escape` told from ours.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let found = played(text);
    found.first()?.number?;
    Some(replaced(text, &found, |number| escape::previous(number?)))
}

/// A place in a text that plays the beginning of a reference.
struct PlayedMark<'t> {
    at: usize,
    /// The bytes up to its colon.
    length: usize,
    /// The number behind the word that stands for ours; `None` when it is ours.
    number: Option<&'t str>,
}

/// Every such place, in order.
fn played(text: &str) -> Vec<PlayedMark<'_>> {
    let ours =
        text.match_indices(OPEN).map(|(at, _)| PlayedMark { at, length: OPEN.len() - 1, number: None });
    let theirs = text.match_indices(FOREIGN).filter_map(|(at, _)| {
        let (number, rest) = escape::split(&text[at + FOREIGN.len()..]);
        let is_one = !number.is_empty() && rest.starts_with(':');
        is_one.then(|| PlayedMark { at, length: FOREIGN.len() + number.len(), number: Some(number) })
    });
    let mut found: Vec<_> = ours.chain(theirs).collect();
    found.sort_by_key(|mark| mark.at);
    found
}

/// The text with the number that `renumber` gives each place, or with our own word where it gives none.
fn replaced(
    text: &str,
    found: &[PlayedMark<'_>],
    renumber: impl Fn(Option<&str>) -> Option<String>,
) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for mark in found {
        out.push_str(&text[from..mark.at]);
        match renumber(mark.number) {
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
            for telling in [Telling::Everywhere, Telling::Verbatim] {
                let sent = escape(telling, text).unwrap_or_else(|| text.to_owned());
                assert_eq!(split(&sent), None);
                assert!(telling == Telling::Verbatim || !sent.contains(OPEN), "{sent}");
                assert_eq!(unescape(&sent).unwrap_or_else(|| sent.clone()), text, "{sent}");
            }
        }
        for text in ["", "<", "<<SHADOW:", "SHADOW:", "<<<SHADOW", "<<<TEXT:", "<<<TEXT1", "<<<TEXTx1:"] {
            assert_eq!((escape(Telling::Everywhere, text), unescape(text)), (None, None), "{text}");
        }
    }

    /// Behaviour 6.3: an edit finds what it read.
    #[test]
    fn text_that_may_be_edited_keeps_what_nobody_reads_as_ours() {
        let source = "const OPEN: &str = \"<<<SHADOW:\"; // not <<<TEXT1: yet\n";
        assert_eq!((escape(Telling::Verbatim, source), unescape(source)), (None, None));
        let file = "<<<SHADOW:shadow_1>>>\n";
        assert_eq!(escape(Telling::Verbatim, file).as_deref(), Some("<<<TEXT1:shadow_1>>>\n"));
    }

    #[test]
    fn only_our_own_line_is_a_reference() {
        for text in ["<<<SHADOW:shadow_1>>>\n", "<<<SHADOW:>>>\nx", "<<<SHADOW:shadow_é>>>\n", "<<<SHADOW:"]
        {
            assert_eq!(split(text), None);
        }
    }
}

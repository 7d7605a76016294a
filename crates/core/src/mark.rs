//! The first line of a text that an exact stage rewrote: `[terse1 json: indent 2]`.
//!
//! It names the stage that reads the rest back. The number keeps foreign texts apart from ours at no cost: a
//! text that merely looks marked is sent with the next number, and comes back with its own, so no input can pass
//! for our own work. Ours are always 1.

use crate::numeral;

/// A marked text, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Marked<'a> {
    number: &'a str,
    /// The rest of the first line, behind the number.
    pub(crate) words: &'a str,
    /// What stands below it.
    pub(crate) body: &'a str,
}

const OPEN: &str = "[terse";

/// The number of our own marks.
const OURS: &str = "1";

/// Marks `body` as written by `stage`, with `note` for who reads it back.
pub(crate) fn mark(stage: &str, note: &str, body: &str) -> String {
    let colon = if note.is_empty() { "" } else { ": " };
    format!("{OPEN}{OURS} {stage}{colon}{note}]\n{body}")
}

/// Takes a text apart that begins like a marked one.
pub(crate) fn read(text: &str) -> Option<Marked<'_>> {
    let rest = text.strip_prefix(OPEN)?;
    let (number, rest) = numeral::split(rest);
    let line = rest.strip_prefix(' ').filter(|_| !number.is_empty())?;
    let end = line.find('\n')?;
    let words = line[..end].strip_suffix(']')?;
    Some(Marked { number, words, body: &line[end + 1..] })
}

impl<'a> Marked<'a> {
    /// The stage and its note.
    pub(crate) fn stage(&self) -> (&'a str, &'a str) {
        self.words.split_once(": ").unwrap_or((self.words, ""))
    }

    /// True when one of our stages wrote it.
    pub(crate) fn is_ours(&self) -> bool {
        self.number == OURS
    }

    /// The text that was sent with this one's number, which is not ours.
    pub(crate) fn foreign(&self) -> Option<String> {
        numeral::previous(self.number).map(|number| self.numbered(&number))
    }

    /// The text with another number.
    fn numbered(&self, number: &str) -> String {
        format!("{OPEN}{number} {}]\n{}", self.words, self.body)
    }
}

/// The text as it may be sent when no stage marked it: one that looks marked gets the next number.
pub(crate) fn escape(text: &str) -> Option<String> {
    read(text).map(|marked| marked.numbered(&numeral::next(marked.number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_back() {
        let text = mark("json", "indent 2", "body\nmore");
        let marked = read(&text).unwrap();
        assert_eq!((marked.foreign(), marked.stage()), (None, ("json", "indent 2")));
        assert_eq!(marked.body, "body\nmore");
        assert_eq!(read(&mark("gutter", "", "")).unwrap().stage(), ("gutter", ""));
    }

    #[test]
    fn what_is_no_mark_is_left_alone() {
        for text in ["", "[terse", "[terse1]\n", "[terse x]\n", "[terse1 x", "[terse1 x]", " [terse1 x]\n"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn looking_marked_costs_a_number() {
        for (text, sent) in [
            ("[terse1 x]\ny", "[terse2 x]\ny"),
            ("[terse2 x]\ny", "[terse3 x]\ny"),
            ("[terse999 x]\ny", "[terse0 x]\ny"),
            ("[terse01 x]\ny", "[terse02 x]\ny"),
            ("[terse999999999 a]\n", "[terse0000000 a]\n"),
        ] {
            assert_eq!(escape(text).as_deref(), Some(sent));
            assert_eq!(read(sent).unwrap().foreign().as_deref(), Some(text));
        }
        assert_eq!(escape("plain"), None);
    }
}

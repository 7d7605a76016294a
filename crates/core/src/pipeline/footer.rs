//! The last line of a text that an exact stage rewrote: `[layout1 json: indent 2]`.
//!
//! Only the decoder needs the footer: it contains the name of the stage that can restore the text, and the stage's
//! note. Whatever the model must know is written above the text or in it. The number distinguishes our footers from
//! imitations at no cost: ours always have 1. If a tool's text ends in such a line, the line is sent with the next
//! number and restored with its own.
//!
//! If a text ends with a newline, the newline comes after the footer.

use crate::pipeline::escape;

/// The name in the footer of a text that no stage changed.
pub(crate) const TEXT: &str = "text";

/// The name in the footer of a text that was taken out of a JSON document.
pub(crate) const WRAPPED: &str = "wrapped";

/// A text with a footer, parsed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SignedText<'a> {
    /// The text before the number, and the text after it.
    around: (&'a str, &'a str),
    number: &'a str,
    /// The rest of the last line, after the number.
    words: &'a str,
    /// The text without its footer.
    pub(crate) body: &'a str,
}

const OPEN: &str = "[layout";

/// The number in our own footers.
const OURS: &str = "1";

/// Adds a footer to `body`, the output of `stage`; `note` is what the stage needs to restore the text.
pub(crate) fn sign(stage: &str, note: &str, body: &str) -> String {
    let colon = if note.is_empty() { "" } else { ": " };
    put(body, OURS, &[stage, colon, note].concat())
}

/// Parses a text that ends in a footer, ours or an imitation.
pub(crate) fn read(text: &str) -> Option<SignedText<'_>> {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let at = lines.rfind('\n')?;
    let rest = lines[at + 1..].strip_prefix(OPEN)?.strip_suffix(']')?;
    let (number, words) = escape::split(rest);
    let words = words.strip_prefix(' ').filter(|_| !number.is_empty())?;
    // The body ends in a newline only if there is one after the footer.
    let body = if lines.len() < text.len() { &text[..=at] } else { &text[..at] };
    let start = at + 1 + OPEN.len();
    let around = (&text[..start], &text[start + number.len()..]);
    Some(SignedText { around, number, words, body })
}

impl<'a> SignedText<'a> {
    /// The name of the stage, and its note.
    pub(crate) fn stage(&self) -> (&'a str, &'a str) {
        self.words.split_once(": ").unwrap_or((self.words, ""))
    }

    /// True when one of our stages wrote the footer.
    pub(crate) fn is_ours(&self) -> bool {
        self.number == OURS
    }

    /// The tool's own text, if its footer is an escaped imitation; `None` if the footer is ours.
    pub(crate) fn foreign(&self) -> Option<String> {
        escape::previous(self.number).map(|number| self.with_number(&number))
    }

    /// The text with another number in its footer, otherwise unchanged.
    fn with_number(&self, number: &str) -> String {
        [self.around.0, number, self.around.1].concat()
    }
}

/// Escapes an imitation of a footer: gives it the next number.
pub(crate) fn escape(text: &str) -> Option<String> {
    read(text).map(|signed| signed.with_number(&escape::next(signed.number)))
}

fn put(body: &str, number: &str, words: &str) -> String {
    let (body, end) = body.strip_suffix('\n').map_or((body, ""), |body| (body, "\n"));
    format!("{body}\n{OPEN}{number} {words}]{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_read_back() {
        for body in ["", "\n", "a", "a\n", "a\n\n", "\n\na", "a\n[layout1 json]"] {
            for (stage, note) in [("json", "indent 2"), ("search", "")] {
                let text = sign(stage, note, body);
                let signed = read(&text).unwrap();
                assert_eq!((signed.stage(), signed.body), ((stage, note), body), "{text:?}");
                assert!(signed.is_ours() && signed.foreign().is_none());
            }
        }
        assert_eq!(sign("json", "indent 2", "a\nb\n"), "a\nb\n[layout1 json: indent 2]\n");
    }

    #[test]
    fn what_is_no_such_line_is_left_alone() {
        for text in [
            "",
            "[layout1 x]",
            "\n[layout",
            "a\n[layout1]",
            "a\n[layout x]",
            "a\n[layout1 x",
            "a\n [layout1 x]",
            "a\n[layout1 x]\n\n",
            "[layout1 x]\na",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn looking_signed_costs_a_number() {
        for (text, sent) in [
            ("y\n[layout1 x]", "y\n[layout2 x]"),
            ("\n[layout2 x]\n", "\n[layout3 x]\n"),
            ("\n[layout999 x]\n", "\n[layout0 x]\n"),
            ("y\n[layout1 x: [y]]\n", "y\n[layout2 x: [y]]\n"),
            ("y\n\n[layout1 x]", "y\n\n[layout2 x]"),
            ("\n\n[layout1 x]", "\n\n[layout2 x]"),
        ] {
            assert_eq!(escape(text).as_deref(), Some(sent));
            assert_eq!(read(sent).unwrap().foreign().as_deref(), Some(text));
        }
        assert_eq!(escape("plain"), None);
    }
}

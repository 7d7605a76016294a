//! The first line of a text that an exact stage rewrote: `[terse1 json: indent 2]`.
//!
//! It names the stage that reads the rest back. The number keeps foreign texts apart from ours at no cost: a
//! text that merely looks marked is sent with its number one higher, and comes back with it one lower, so no
//! input can pass for our own work. Ours are always 1.

/// A marked text, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Marked<'a> {
    pub(crate) number: u32,
    /// The rest of the first line, behind the number.
    pub(crate) words: &'a str,
    /// What stands below it.
    pub(crate) body: &'a str,
}

const OPEN: &str = "[terse";

/// Marks `body` as written by `stage`, with `note` for who reads it back.
pub(crate) fn mark(stage: &str, note: &str, body: &str) -> String {
    let colon = if note.is_empty() { "" } else { ": " };
    format!("{OPEN}1 {stage}{colon}{note}]\n{body}")
}

/// Takes a text apart that begins like a marked one.
pub(crate) fn read(text: &str) -> Option<Marked<'_>> {
    let rest = text.strip_prefix(OPEN)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    let line = rest.strip_prefix(' ')?;
    if number.starts_with('0') || digits > 9 {
        return None;
    }
    let end = line.find('\n')?;
    let words = line[..end].strip_suffix(']')?;
    Some(Marked { number: number.parse().ok()?, words, body: &line[end + 1..] })
}

impl<'a> Marked<'a> {
    /// The stage and its note.
    pub(crate) fn stage(&self) -> (&'a str, &'a str) {
        self.words.split_once(": ").unwrap_or((self.words, ""))
    }

    /// The text with another number.
    pub(crate) fn numbered(&self, number: u32) -> String {
        format!("{OPEN}{number} {}]\n{}", self.words, self.body)
    }
}

/// The text as it may be sent when no stage marked it: one that looks marked gets a higher number.
pub(crate) fn escape(text: &str) -> Option<String> {
    read(text).map(|marked| marked.numbered(marked.number.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_back() {
        let text = mark("json", "indent 2", "body\nmore");
        let marked = read(&text).unwrap();
        assert_eq!((marked.number, marked.stage(), marked.body), (1, ("json", "indent 2"), "body\nmore"));
        assert_eq!(read(&mark("gutter", "", "")).unwrap().stage(), ("gutter", ""));
    }

    #[test]
    fn what_is_no_mark_is_left_alone() {
        for text in [
            "",
            "[terse",
            "[terse1]\n",
            "[terse01 x]\n",
            "[terse x]\n",
            "[terse1 x",
            "[terse1 x]",
            " [terse1 x]\n",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn looking_marked_costs_a_number() {
        assert_eq!(escape("[terse1 x]\ny").as_deref(), Some("[terse2 x]\ny"));
        assert_eq!(escape("[terse2 x]\ny").as_deref(), Some("[terse3 x]\ny"));
        assert_eq!(escape("plain"), None);
    }
}

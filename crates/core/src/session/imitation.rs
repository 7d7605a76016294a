//! Escapes lines of a tool's text that look like our references.
//!
//! Such lines are sent with a number in them, `[all lines: same1 in …`, at the same cost, and we add no references to
//! such a text. Lines that already have a number get the next one. So the first such line shows whether all of them are
//! ours or the tool's. In text that an agent's edit may quote, only this first line is escaped.

use std::ops::Range;

use crate::pipeline::escape;
use crate::session::source::Source;
use crate::session::words::{END, SAME};

/// The word that the number replaces.
const AS: &str = " as";

/// Who wrote the lines that look like references.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MarkOwner {
    /// There are no such lines.
    Nobody,
    Ours,
    Theirs,
}

/// Who wrote the references in a text.
pub(super) fn owner_of(text: &str) -> MarkOwner {
    match first(text) {
        None => MarkOwner::Nobody,
        Some(place) if &text[place.clone()] == AS => MarkOwner::Ours,
        Some(_) => MarkOwner::Theirs,
    }
}

/// Which lines that look like references are escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapedLines {
    All,
    /// Only the first, which shows who wrote all of them.
    First,
}

impl EscapedLines {
    /// The lines to escape in text from this source.
    pub(super) fn of(source: Source) -> Self {
        if source == Source::Other { Self::All } else { Self::First }
    }
}

/// Escapes lines that look like references, in a text without references of ours.
pub(super) fn escape(lines: EscapedLines, text: &str) -> Option<String> {
    let next = |word: &str| if word == AS { "1".to_owned() } else { escape::next(word) };
    renumber(lines, text, next)
}

/// Undoes `escape`.
pub(super) fn unescape(lines: EscapedLines, text: &str) -> Option<String> {
    renumber(lines, text, |word| escape::previous(word).unwrap_or_else(|| AS.to_owned()))
}

/// Changes the numbers in lines that look like references; `None` when there are no such lines.
fn renumber(lines: EscapedLines, text: &str, number_of: impl Fn(&str) -> String) -> Option<String> {
    let count = if lines == EscapedLines::All { usize::MAX } else { 1 };
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for place in places(text).take(count) {
        out.push_str(&text[from..place.start]);
        out.push_str(&number_of(&text[place.clone()]));
        from = place.end;
    }
    out.push_str(&text[from..]);
    (from > 0).then_some(out)
}

/// The range of the number in the first line that looks like a reference, or of the word that a number would replace.
fn first(text: &str) -> Option<Range<usize>> {
    places(text).next()
}

/// The range of the number, or of the word, in every line that looks like a reference.
fn places(text: &str) -> impl Iterator<Item = Range<usize>> {
    let text = if text.contains(END) { text } else { "" };
    let mut start = 0;
    text.split('\n').filter_map(move |line| {
        let place = place(line).map(|place| start + place.start..start + place.end);
        start += line.len() + 1;
        place
    })
}

fn place(line: &str) -> Option<Range<usize>> {
    if !line.starts_with('[') || !line.ends_with(END) {
        return None;
    }
    let mut words = line.match_indices(SAME).map(|(at, _)| at + SAME.len());
    words.find_map(|start| {
        let digits = escape::split(&line[start..]).0;
        let word = if digits.is_empty() { AS } else { digits };
        let end = start + word.len();
        (line[start..].starts_with(word) && line[end..].starts_with(' ')).then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::O200k;

    #[test]
    fn look_alikes_come_back_at_the_same_cost() {
        for text in [
            "[all lines: same as in x above]",
            "[all lines: same1 in x above]",
            "[all lines: same999 in x above]",
            "a\n[lines 1-9: same as in x above]\n[lines 1-9: same as in x above]\nb",
            "[: same as above]",
        ] {
            for told in [EscapedLines::All, EscapedLines::First] {
                let sent = escape(told, text).unwrap();
                assert_eq!(owner_of(&sent), MarkOwner::Theirs);
                assert!(told == EscapedLines::First || !sent.contains("same as"), "{sent}");
                assert_eq!(unescape(told, &sent).as_deref(), Some(text));
                assert!(O200k.count(&sent) <= O200k.count(text), "{sent}");
            }
        }
        assert_eq!(owner_of("[all lines: same as in x above]"), MarkOwner::Ours);
    }

    #[test]
    fn other_lines_are_left_alone() {
        for text in
            ["", "x above]", "[x above]", "[x: same as in y]", " [x: same as y above]", "[x: sameas y above]"]
        {
            assert_eq!(
                (owner_of(text), escape(EscapedLines::All, text)),
                (MarkOwner::Nobody, None),
                "{text}"
            );
        }
    }
}

//! Tells lines that merely look like references from our own.
//!
//! A text with such lines is sent with a number in them, `[all lines: same1 in …`, at the same cost, and gets no
//! references of ours; one that has a number there gets the next. So the first line of the kind says of all of them
//! whose they are. In what an edit may quote only that one is changed.

use std::ops::Range;

use crate::pipeline::escape;
use crate::session::source::Source;
use crate::session::words::{END, SAME};

/// Stands there in references.
const AS: &str = " as";

/// Whose the lines are that look like references.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MarkOwner {
    /// There are none.
    Nobodys,
    Ours,
    Theirs,
}

/// Whose the references in a text are.
pub(super) fn whose(text: &str) -> MarkOwner {
    match first(text) {
        None => MarkOwner::Nobodys,
        Some(place) if &text[place.clone()] == AS => MarkOwner::Ours,
        Some(_) => MarkOwner::Theirs,
    }
}

/// Which of the lines are told from ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToldLines {
    All,
    /// The first, which says it of all.
    First,
}

impl ToldLines {
    /// Those of a text from there.
    pub(super) fn of(source: Source) -> Self {
        if source == Source::Other { Self::All } else { Self::First }
    }
}

/// The text as it is sent, if it has lines that look like references and none is ours.
pub(super) fn escape(told: ToldLines, text: &str) -> Option<String> {
    let next = |word: &str| if word == AS { "1".to_owned() } else { escape::next(word) };
    replaced(told, text, next)
}

/// The text that was sent with a number.
pub(super) fn unescape(told: ToldLines, text: &str) -> Option<String> {
    replaced(told, text, |word| escape::previous(word).unwrap_or_else(|| AS.to_owned()))
}

/// The text with other words in such lines; `None` when there are none.
fn replaced(told: ToldLines, text: &str, renumber: impl Fn(&str) -> String) -> Option<String> {
    let most = if told == ToldLines::All { usize::MAX } else { 1 };
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for place in places(text).take(most) {
        out.push_str(&text[from..place.start]);
        out.push_str(&renumber(&text[place.clone()]));
        from = place.end;
    }
    out.push_str(&text[from..]);
    (from > 0).then_some(out)
}

/// Where the first line that looks like a reference has its number or the word that says it is one.
fn first(text: &str) -> Option<Range<usize>> {
    places(text).next()
}

/// The same for every such line.
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
            for told in [ToldLines::All, ToldLines::First] {
                let sent = escape(told, text).unwrap();
                assert_eq!(whose(&sent), MarkOwner::Theirs);
                assert!(told == ToldLines::First || !sent.contains("same as"), "{sent}");
                assert_eq!(unescape(told, &sent).as_deref(), Some(text));
                assert!(O200k.count(&sent) <= O200k.count(text), "{sent}");
            }
        }
        assert_eq!(whose("[all lines: same as in x above]"), MarkOwner::Ours);
    }

    #[test]
    fn other_lines_are_left_alone() {
        for text in
            ["", "x above]", "[x above]", "[x: same as in y]", " [x: same as y above]", "[x: sameas y above]"]
        {
            assert_eq!((whose(text), escape(ToldLines::All, text)), (MarkOwner::Nobodys, None), "{text}");
        }
    }
}

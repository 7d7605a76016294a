//! Tells lines that merely look like references from our own.
//!
//! A text with such lines is sent with a number in the first of them, `[all lines: same1 in …`, at the same cost, and
//! gets no references of ours; one that has a number there gets the next. So the first line of the kind says of all of
//! them whose they are.

use std::ops::Range;

use crate::pipeline::numeral;
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

/// The text as it is sent, if it has lines that look like references and none is ours.
pub(super) fn escape(text: &str) -> Option<String> {
    let place = first(text)?;
    let word = &text[place.clone()];
    let number = if word == AS { "1".to_owned() } else { numeral::next(word) };
    Some(replaced(text, place, &number))
}

/// The text that was sent with a number.
pub(super) fn unescape(text: &str) -> Option<String> {
    let place = first(text)?;
    let word = numeral::previous(&text[place.clone()]).unwrap_or_else(|| AS.to_owned());
    Some(replaced(text, place, &word))
}

fn replaced(text: &str, place: Range<usize>, word: &str) -> String {
    [&text[..place.start], word, &text[place.end..]].concat()
}

/// Where the first line that looks like a reference has its number or the word that says it is one.
fn first(text: &str) -> Option<Range<usize>> {
    if !text.contains(END) {
        return None;
    }
    let mut start = 0;
    text.split('\n').find_map(|line| {
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
        let digits = numeral::split(&line[start..]).0;
        let word = if digits.is_empty() { AS } else { digits };
        let end = start + word.len();
        (line[start..].starts_with(word) && line[end..].starts_with(' ')).then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{O200k, Tokens};

    #[test]
    fn look_alikes_come_back_at_the_same_cost() {
        for text in [
            "[all lines: same as in x above]",
            "[all lines: same1 in x above]",
            "[all lines: same999 in x above]",
            "a\n[lines 1-9: same as in x above]\n[lines 1-9: same as in x above]\nb",
            "[: same as above]",
        ] {
            let sent = escape(text).unwrap();
            assert_eq!(whose(&sent), MarkOwner::Theirs);
            assert_eq!(unescape(&sent).as_deref(), Some(text));
            assert!(O200k.count(&sent) <= O200k.count(text), "{sent}");
        }
        assert_eq!(whose("[all lines: same as in x above]"), MarkOwner::Ours);
    }

    #[test]
    fn other_lines_are_left_alone() {
        for text in
            ["", "x above]", "[x above]", "[x: same as in y]", " [x: same as y above]", "[x: sameas y above]"]
        {
            assert_eq!((whose(text), escape(text)), (MarkOwner::Nobodys, None), "{text}");
        }
    }
}

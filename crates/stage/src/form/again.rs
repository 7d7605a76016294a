//! Blocks of lines that stand above already, said by the line before them and by their last one: `(as the first time,
//! down to "raise KeyError(item)")`.
//!
//! A traceback that comes ten times differs in nothing but its place. The line before it stays where it was: a reader
//! finds the block below that line, the first time that it stands there, and need not count to see where it ends. So
//! that there is one such block, every time that the line is shown the same lines follow it, and the first time they are
//! all shown themselves. A line that tells of an error is never in a block.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::plan::{Loss, Mode};
use crate::read::source;
use crate::room::Room;
use crate::signal;
use crate::stage::{Edit, Scene, Stage};

pub(crate) struct Again;

/// Fewer bytes cost less than looking for them.
const MIN_BYTES: usize = 120;

/// And so do fewer lines.
const MIN_LINES: usize = 3;

/// A longer block is said in parts.
const MAX_LINES: usize = 500;

/// A shorter line tells too little to be found again.
const MIN_FIRST: usize = 12;

/// What must be saved, as a part of the text.
const WORTH: usize = 10;

const OPEN: &str = "(as the first time, down to \"";
const CLOSE: &str = "\")";

/// A longer last line is known by how it begins: by as few of these bytes as tell it from the others.
const LASTS: [usize; 3] = [24, 40, 72];

impl Stage for Again {
    fn name(&self) -> &'static str {
        "again"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, scene: Scene<'_>, text: &str) -> Option<Edit> {
        if text.len() < MIN_BYTES * 2 || source::is_source(scene.call, text) {
            return None;
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let short = shorten(&lines)?;
        (short.len() <= text.len() - text.len() / WORTH).then(|| Edit {
            text: short,
            loss: Loss::None,
            note: String::new(),
        })
    }

    fn restore(&self, room: Room, _: &str, text: &str) -> Option<String> {
        lengthen(room, text)
    }
}

/// The lines with the blocks that marks stand for.
pub(crate) fn lengthen(room: Room, text: &str) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut bytes = 0;
    for line in text.split('\n') {
        let from = lines.len();
        if let Some(last) = mark(line) {
            let below = &lines[first.get(lines.last()?)? + 1..];
            let is_last = |line: &&str| line.trim_start().starts_with(last);
            let block = below[..=below.iter().take(MAX_LINES).position(is_last)?].to_vec();
            lines.extend(block);
        } else {
            first.entry(line).or_insert(from);
            lines.push(line);
        }
        bytes += lines[from..].iter().map(|line| line.len() + LINE).sum::<usize>();
        room.fits(bytes)?;
    }
    Some(lines.join("\n"))
}

/// What a line counts as beyond its own bytes, since each is remembered here.
const LINE: usize = 16;

/// How the last of the lines is quoted that a mark stands for.
fn mark(line: &str) -> Option<&str> {
    line.strip_prefix(OPEN)?.strip_suffix(CLOSE).filter(|last| !last.is_empty())
}

/// How a line is quoted: what it begins with, up to the end of a word if there is one.
fn quote(line: &str, most: usize) -> &str {
    let line = line.trim();
    let start = &line[..line.floor_char_boundary(most)];
    let word = if start.len() < line.len() { start.rfind(' ').filter(|end| end * 2 > most) } else { None };
    word.map_or(start, |end| start[..end].trim_end())
}

/// Where a line was shown first, and how many lines below it are the same wherever it was shown.
struct Seen {
    at: usize,
    agreed: usize,
}

/// The lines without blocks that stand above; `None` when there are none, or a line looks like a mark.
pub(crate) fn shorten(lines: &[&str]) -> Option<String> {
    let mut seen: HashMap<&str, Seen> = HashMap::new();
    let mut shown = vec![false; lines.len()];
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if mark(line).is_some() {
            return None;
        }
        out.push(Cow::Borrowed(line));
        shown[at] = true;
        let first = seen.entry(line).or_insert(Seen { at, agreed: MAX_LINES });
        if let Some((block, last)) = first.block(lines, &shown, at) {
            out.push(Cow::Owned(format!("{OPEN}{last}{CLOSE}")));
            at += block;
        }
        at += 1;
    }
    (out.len() < lines.len()).then(|| out.join("\n"))
}

impl Seen {
    /// How many lines below `at`, where the line is shown again, can be told by those below the first, and how the last of
    /// them is quoted; `None` if too few.
    fn block<'t>(&mut self, lines: &[&'t str], shown: &[bool], at: usize) -> Option<(usize, &'t str)> {
        if self.at == at {
            return None;
        }
        let pairs = lines[self.at + 1..at].iter().zip(&lines[at + 1..]);
        self.agreed = pairs.take(self.agreed).take_while(|(one, two)| one == two).count();
        if self.agreed < MIN_LINES || lines[at].trim().len() < MIN_FIRST {
            return None;
        }
        let below = lines[self.at + 1..].iter().zip(&shown[self.at + 1..]).take(self.agreed);
        let block = below.take_while(|(line, shown)| **shown && signal::find(line).is_none());
        let block: Vec<&str> = block.map(|(line, _)| *line).collect();
        let (count, last) = closed(&block)?;
        let bytes: usize = block[..count].iter().map(|line| line.len() + 1).sum();
        (count >= MIN_LINES && bytes >= MIN_BYTES).then_some((count, last))
    }
}

/// How many lines of a block there are up to the last that no other one in it begins like, and how that is quoted; `None`
/// if none of its last ones is such a line.
fn closed<'t>(block: &[&'t str]) -> Option<(usize, &'t str)> {
    let tells = |quote: &&str| {
        let alike = block.iter().filter(|line| line.trim_start().starts_with(*quote)).count();
        quote.len() >= MIN_LAST && alike == 1
    };
    let quoted = |last: usize| LASTS.iter().map(|most| quote(block[last], *most)).find(tells);
    let lasts = block.len().saturating_sub(MAX_TRIES)..block.len();
    lasts.rev().find_map(|last| Some((last + 1, quoted(last)?)))
}

/// Lines that may end a block, looked at from its end.
const MAX_TRIES: usize = 40;

/// A shorter line ends no block: it tells too little.
const MIN_LAST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;
    use crate::proof::{apply, check, read_foreign};

    const TRACE: &str = "Traceback (most recent call last):\n  File \"app.py\", line 7, in serve\n    answer(request)\n  \
                         File \"app.py\", line 3, in answer\n    with_all_of_the_arguments(that_there_are)\n    \
                         return 1 / request.count_of_those_who_ask\nZeroDivisionError: division by zero";

    #[test]
    fn a_block_is_said_once_and_its_error_every_time() {
        let text = format!("first\n{TRACE}\nsecond\n{TRACE}\nthird\n{TRACE}\n");
        let again = "Traceback (most recent call last):\n(as the first time, down to \"return 1 / request.count\")\nZeroDivisionError: division by zero";
        check(&Again, &text, "", &format!("first\n{TRACE}\nsecond\n{again}\nthird\n{again}\n"));
    }

    /// A reader who looks for the line above must not find two with other lines below them.
    #[test]
    fn a_line_that_others_follow_too_tells_no_block() {
        let other = TRACE.replace("line 7, in serve", "line 9, in other");
        let text = format!("{TRACE}\n{other}\n{TRACE}\n{other}\n");
        let edit = apply(&Again, &text).unwrap();
        assert!(!edit.text.contains("last):\n(then"), "{}", edit.text);
        assert!(
            edit.text.contains(
                "line 7, in serve\n(as the first time, down to \"return 1 / request.count\")\nZero"
            ),
            "{}",
            edit.text
        );
        assert!(
            edit.text
                .contains("answer(request)\n(as the first time, down to \"return 1 / request.count\")\nZero"),
            "{}",
            edit.text
        );
        assert_eq!(proof::read(&Again, "", &edit.text), Some(text));
    }

    #[test]
    fn every_line_end_comes_back() {
        for end in ["", "\n", "\r\n", "\n\n"] {
            let text = format!("{TRACE}\n\n\n{TRACE}\nx\n{TRACE}{end}").replace('\n', "\r\n");
            let edit = apply(&Again, &text).unwrap();
            assert_eq!(proof::read(&Again, "", &edit.text).as_deref(), Some(&*text));
        }
    }

    #[test]
    fn lines_that_follow_themselves_come_back() {
        let line = "a line that is the same as the one above it, and rather long for what it says\n";
        let text = line.repeat(40);
        if let Some(edit) = apply(&Again, &text) {
            assert_eq!(proof::read(&Again, "", &edit.text).as_deref(), Some(&*text));
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        let marked = format!("{TRACE}\n(as the first time, down to \"x\")\n{TRACE}\n");
        let diff = format!("diff --git a/x b/x\n{TRACE}\n{TRACE}\n{TRACE}\n");
        for text in ["", "a\nb\na\nb\n", &marked, &diff, &format!("{TRACE}\n")] {
            assert_eq!(apply(&Again, text), None, "{text}");
        }
    }

    #[test]
    fn foreign_marks_are_refused() {
        read_foreign(&Again);
        for text in [
            "(as the first time, down to \"a\")",
            "a\n(as the first time, down to \"a\")",
            "a\nb\na\n(as the first time, down to \"c\")",
        ] {
            assert_eq!(proof::read(&Again, "", text), None, "{text}");
        }
        let quoting_nothing = "a\nb\na\n(as the first time, down to \"\")";
        assert_eq!(
            proof::read(&Again, "", quoting_nothing).as_deref(),
            Some(quoting_nothing),
            "a line like any"
        );
    }
}

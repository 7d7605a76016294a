//! Blocks of lines that stand above already, said by the line before them: `(then the same 12 lines as above)`.
//!
//! A traceback that comes ten times differs in nothing but its place. The line before it stays where it was: a reader
//! finds the block below that line above. So that there is one such block, every time that the line is shown the same
//! lines follow it, and the first time they are all shown themselves. A line that tells of an error is never in a block.

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

const OPEN: &str = "(then the same ";
const CLOSE: &str = " lines as above)";

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
        if let Some(count) = count(line) {
            let above = *first.get(lines.last()?)?;
            let block = lines.get(above + 1..above.checked_add(count)?.checked_add(1)?)?.to_vec();
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

/// How many lines a mark stands for.
fn count(line: &str) -> Option<usize> {
    line.strip_prefix(OPEN)?.strip_suffix(CLOSE)?.parse().ok()
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
        if count(line).is_some() {
            return None;
        }
        out.push(Cow::Borrowed(line));
        shown[at] = true;
        let first = seen.entry(line).or_insert(Seen { at, agreed: MAX_LINES });
        let block = first.block(lines, &shown, at);
        if block > 0 {
            out.push(Cow::Owned(format!("{OPEN}{block}{CLOSE}")));
        }
        at += block + 1;
    }
    (out.len() < lines.len()).then(|| out.join("\n"))
}

impl Seen {
    /// How many lines below `at`, where the line is shown again, can be told by those below the first; 0 if too few.
    fn block(&mut self, lines: &[&str], shown: &[bool], at: usize) -> usize {
        if self.at == at {
            return 0;
        }
        let pairs = lines[self.at + 1..at].iter().zip(&lines[at + 1..]);
        self.agreed = pairs.take(self.agreed).take_while(|(one, two)| one == two).count();
        if self.agreed < MIN_LINES || lines[at].trim().len() < MIN_FIRST {
            return 0;
        }
        let below = lines[self.at + 1..].iter().zip(&shown[self.at + 1..]).take(self.agreed);
        let block = below.take_while(|(line, shown)| **shown && signal::find(line).is_none());
        let (mut count, mut bytes) = (0, 0);
        block.for_each(|(line, _)| (count, bytes) = (count + 1, bytes + line.len() + 1));
        if count >= MIN_LINES && bytes >= MIN_BYTES { count } else { 0 }
    }
}

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
        let again = "Traceback (most recent call last):\n(then the same 5 lines as above)\nZeroDivisionError: division by zero";
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
            edit.text.contains("line 7, in serve\n(then the same 4 lines as above)\nZero"),
            "{}",
            edit.text
        );
        assert!(
            edit.text.contains("answer(request)\n(then the same 3 lines as above)\nZero"),
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
        let marked = format!("{TRACE}\n(then the same 5 lines as above)\n{TRACE}\n");
        let diff = format!("diff --git a/x b/x\n{TRACE}\n{TRACE}\n{TRACE}\n");
        for text in ["", "a\nb\na\nb\n", &marked, &diff, &format!("{TRACE}\n")] {
            assert_eq!(apply(&Again, text), None, "{text}");
        }
    }

    #[test]
    fn foreign_marks_are_refused() {
        read_foreign(&Again);
        for text in [
            "(then the same 5 lines as above)",
            "a\n(then the same 5 lines as above)",
            "a\nb\na\n(then the same 18446744073709551615 lines as above)",
        ] {
            assert_eq!(proof::read(&Again, "", text), None, "{text}");
        }
    }
}

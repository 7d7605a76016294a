//! Blocks of lines that stand above already, said by their first line: `[12 lines as below the same line above]`.
//!
//! A traceback that comes ten times differs in nothing but its place. Its first line stays where it was, so that a
//! reader knows what follows and where to find it: below the last line above that is the same.

use std::collections::HashMap;

use super::{Edit, Scene, Stage, source};
use crate::{Loss, Mode, Room};

pub(super) struct Again;

/// Fewer bytes cost less than looking for them.
const MIN_BYTES: usize = 120;

/// And so do fewer lines.
const MIN_LINES: usize = 2;

/// A shorter line tells too little to be found again.
const MIN_FIRST: usize = 12;

/// What must be saved, as a part of the text.
const WORTH: usize = 10;

const END: &str = " lines as below the same line above]";

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
        let mut lines: Vec<&str> = Vec::new();
        let mut last: HashMap<&str, usize> = HashMap::new();
        let mut bytes = 0;
        for line in text.split('\n') {
            let from = lines.len();
            match count(line) {
                Some(count) => repeat(&mut lines, &last, count)?,
                None => lines.push(line),
            }
            bytes += lines[from..].iter().map(|line| line.len() + LINE).sum::<usize>();
            room.fits(bytes)?;
            // The first line of a block is found before it is the last of its kind itself.
            let seen = lines.len().saturating_sub(1);
            last.extend((from.saturating_sub(1)..seen).map(|at| (lines[at], at)));
        }
        Some(lines.join("\n"))
    }
}

/// What a line counts as beyond its own bytes, since each is remembered here.
const LINE: usize = 16;

/// Adds the lines that followed the last one when it stood above.
fn repeat<'t>(lines: &mut Vec<&'t str>, last: &HashMap<&'t str, usize>, count: usize) -> Option<()> {
    let above = *last.get(lines.last()?)?;
    let block = above + 1..above.checked_add(count)?.checked_add(1)?;
    lines.get(block.clone())?;
    lines.extend_from_within(block);
    Some(())
}

/// How many lines a mark stands for.
fn count(line: &str) -> Option<usize> {
    line.strip_prefix('[')?.strip_suffix(END)?.parse().ok()
}

/// The lines without blocks that stand above; `None` when there are none, or a line looks like a mark.
fn shorten(lines: &[&str]) -> Option<String> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if count(line).is_some() {
            return None;
        }
        out.push(line.to_owned());
        let block = last.get(line).map_or(0, |above| block(lines, *above, at));
        if block > 0 {
            out.push(format!("[{block}{END}"));
        }
        last.extend((at..=at + block).map(|seen| (lines[seen], seen)));
        at += block + 1;
    }
    (out.len() < lines.len()).then(|| out.join("\n"))
}

/// How many lines below `at` are those below `above`, if they are worth a mark.
fn block(lines: &[&str], above: usize, at: usize) -> usize {
    if lines[at].trim().len() < MIN_FIRST {
        return 0;
    }
    let pairs = lines[above + 1..at].iter().zip(&lines[at + 1..]);
    let mut bytes = 0;
    let same = pairs.take_while(|(one, two)| one == two).inspect(|(line, _)| bytes += line.len() + 1).count();
    if same >= MIN_LINES && bytes >= MIN_BYTES { same } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::proof::{self, apply, check, read_foreign};

    const TRACE: &str = "Traceback (most recent call last):\n  File \"app.py\", line 7, in serve\n    answer(request)\n  \
                         File \"app.py\", line 3, in answer\n    return 1 / request.count\nZeroDivisionError: division by zero";

    #[test]
    fn a_block_is_said_once() {
        let text = format!("first\n{TRACE}\nsecond\n{TRACE}\nthird\n{TRACE}\n");
        let again = "Traceback (most recent call last):\n[5 lines as below the same line above]";
        check(&Again, &text, "", &format!("first\n{TRACE}\nsecond\n{again}\nthird\n{again}\n"));
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
        let marked = format!("{TRACE}\n[5 lines as below the same line above]\n{TRACE}\n");
        let diff = format!("diff --git a/x b/x\n{TRACE}\n{TRACE}\n{TRACE}\n");
        for text in ["", "a\nb\na\nb\n", &marked, &diff, &format!("{TRACE}\n")] {
            assert_eq!(apply(&Again, text), None, "{text}");
        }
    }

    #[test]
    fn foreign_marks_are_refused() {
        read_foreign(&Again);
        for text in [
            "[5 lines as below the same line above]",
            "a\n[5 lines as below the same line above]",
            "a\nb\na\n[18446744073709551615 lines as below the same line above]",
            "a\nb\na\n[9 lines as below the same line above]",
        ] {
            assert_eq!(proof::read(&Again, "", text), None, "{text}");
        }
    }
}

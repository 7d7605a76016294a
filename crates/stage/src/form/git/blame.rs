//! Blame with each commit, its author and its date above the lines that came with it.

use std::fmt::Write as _;

use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};

/// The output of `git blame`.
pub(crate) struct Blame;

/// What a reader must know.
const HEAD: &str = "[each commit stands above its lines]";

/// Fewer lines than this have nothing to give.
const MIN_LINES: usize = 3;

impl Stage for Blame {
    fn name(&self) -> &'static str {
        "blame"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    fn apply(&self, _: Scene<'_>, text: &str) -> Option<Edit> {
        let gutter = Gutter::of(text.split('\n').next()?)?;
        let mut out = format!("{HEAD}\n");
        let mut current = "";
        let mut rest = text;
        let mut count = 0;
        while let Some((line, below)) = rest.split_once('\n')
            && let Some((commit, content)) = gutter.split(line, gutter.first + count)
        {
            if commit != current {
                out.extend([commit, ")\n"]);
                current = commit;
            }
            let _ = writeln!(out, "{}) {content}", gutter.first + count);
            count += 1;
            rest = below;
        }
        out.push_str(rest);
        let note = format!("{count} lines from {}, width {}", gutter.first, gutter.width);
        (count >= MIN_LINES).then_some(Edit { text: out, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let (count, rest) = note.split_once(" lines from ")?;
        let (first, width) = rest.split_once(", width ")?;
        let gutter =
            Gutter { first: first.parse().ok()?, width: width.parse().ok().filter(|width| *width <= 16)? };
        let count: usize = count.parse().ok()?;
        let mut out = String::with_capacity(text.len() * 2);
        let mut commit = "";
        let mut rest = text.strip_prefix(HEAD)?.strip_prefix('\n')?;
        for number in gutter.first..gutter.first.checked_add(count)? {
            let (mut line, mut below) = rest.split_once('\n')?;
            if !line.starts_with(&format!("{number}) ")) {
                commit = line.strip_suffix(')').filter(|commit| commit.contains('('))?;
                (line, below) = below.split_once('\n')?;
            }
            let content = line.strip_prefix(&format!("{number}) "))?;
            let _ = writeln!(out, "{commit}{}{content}", gutter.text(number));
            rest = below;
            room.fits(out.len())?;
        }
        out.push_str(rest);
        Some(out)
    }
}

/// How line numbers stand behind a commit.
struct Gutter {
    first: usize,
    /// Columns that a number is padded to.
    width: usize,
}

impl Gutter {
    /// The gutter of the first line: `9348401 (Ann Lee 2025-11-01 17:34:09 +0100   1) text`.
    fn of(line: &str) -> Option<Self> {
        let plain = line.strip_prefix('^').unwrap_or(line);
        let digits = plain.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (open, close) = (line.find('(')?, line.find(") ")?);
        let head = line
            .get(open..close)
            .filter(|_| (6..=40).contains(&digits) && plain[digits..].starts_with(' '))?;
        let number = head.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (commit, number) = head.split_at(head.len() - number);
        let width = commit.len() - commit.trim_end_matches(' ').len() + number.len();
        let first = number.parse().ok().filter(|first| *first > 0)?;
        (2..=16).contains(&width).then_some(Self { first, width: width - 1 })
    }

    fn text(&self, number: usize) -> String {
        format!(" {number:>width$}) ", width = self.width)
    }

    /// Commit and content of line `number`.
    fn split<'a>(&self, line: &'a str, number: usize) -> Option<(&'a str, &'a str)> {
        line.split_once(&self.text(number))
            .filter(|(commit, _)| commit.contains('(') && !commit.ends_with(' '))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::git::tests::check;

    #[test]
    fn a_commit_stands_above_its_lines() {
        check(
            &Blame,
            "^9348401 (Ann Lee 2025-11-01 17:34:09 +0100  9) fn a() {\n\
             05586800 (Bob     2025-11-03 23:30:55 +0530 10)     b(); // 10) x\n\
             05586800 (Bob     2025-11-03 23:30:55 +0530 11) \n\
             ^9348401 (Ann Lee 2025-11-01 17:34:09 +0100 12) }\nrest",
            "4 lines from 9, width 2",
            "[each commit stands above its lines]\n^9348401 (Ann Lee 2025-11-01 17:34:09 +0100)\n9) fn a() {\n\
             05586800 (Bob     2025-11-03 23:30:55 +0530)\n10)     b(); // 10) x\n11) \n\
             ^9348401 (Ann Lee 2025-11-01 17:34:09 +0100)\n12) }\nrest",
        );
    }
}

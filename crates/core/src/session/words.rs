//! Writes and parses references: `[lines 12-80: same as in src/main.rs as last read in full above]`.
//!
//! A reference is a line of its own that replaces other lines and says how to find them: by the numbers that they begin
//! with, or by their first and last line, and by the name of the result that shows them.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

/// A reference to lines of an earlier result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference<'w> {
    pub(super) lines: Lines<'w>,
    /// The name of the result that shows the lines.
    pub(super) name: &'w str,
}

/// The lines that a reference stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lines<'w> {
    /// All lines of both results.
    All,
    /// Lines by number: their numbers in this result, and their numbers in the earlier one.
    Numbered(RangeInclusive<usize>, RangeInclusive<usize>),
    /// `count` lines from `first` to `last`, each of which is unique in the earlier result.
    Block { count: usize, first: &'w str, last: &'w str },
}

/// The words between the description of the lines and the name of the result.
pub(super) const SAME: &str = ": same";
const AS: &str = " as ";

/// The words between the first and the last line of a block.
const TO: &str = "\" to \"";

/// The end of every reference.
pub(super) const END: &str = " above]";

impl Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        match &self.lines {
            Lines::All => f.write_str("all lines")?,
            Lines::Numbered(here, _) => span(f, here)?,
            Lines::Block { count, first, last } => write!(f, "{count} lines from \"{first}{TO}{last}\"")?,
        }
        write!(f, "{SAME}{AS}")?;
        if let Lines::Numbered(here, there) = &self.lines
            && here != there
        {
            span(f, there)?;
            f.write_str(" ")?;
        }
        write!(f, "in {}]", self.name)
    }
}

fn span(f: &mut fmt::Formatter<'_>, lines: &RangeInclusive<usize>) -> fmt::Result {
    write!(f, "lines {}-{}", lines.start(), lines.end())
}

/// Parses a line as a reference; `None` if it is not one.
pub(super) fn read(line: &str) -> Option<Reference<'_>> {
    let inside = line.strip_prefix('[').filter(|_| line.ends_with(END))?.strip_suffix(']')?;
    let (meant, rest) = inside.split_once(SAME)?;
    let (there, name) = rest.strip_prefix(AS)?.split_once("in ")?;
    let lines = match meant.strip_prefix("lines ") {
        Some(here) => numbered_lines(here, there)?,
        None if meant == "all lines" => Lines::All,
        None => block(meant)?,
    };
    let reference = Reference { lines, name };
    // There is only one spelling: a line that parses but is spelled differently is not ours.
    (reference.to_string() == line).then_some(reference)
}

fn numbered_lines<'w>(here: &str, there: &str) -> Option<Lines<'w>> {
    let here = range(here)?;
    let there = match there.strip_prefix("lines ") {
        Some(there) => range(there.strip_suffix(' ')?)?,
        None => here.clone(),
    };
    (here.end() - here.start() == there.end() - there.start()).then_some(Lines::Numbered(here, there))
}

/// Parses a range of numbers from 1 on, small enough that sums cannot overflow.
fn range(words: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = words.split_once('-')?;
    let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last && last < usize::MAX / 2).then_some(first..=last)
}

fn block(meant: &str) -> Option<Lines<'_>> {
    let (count, rest) = meant.split_once(" lines from \"")?;
    let (first, last) = rest.strip_suffix('"')?.split_once(TO)?;
    Some(Lines::Block { count: count.parse().ok()?, first, last })
}

/// The maximum length of a line that is quoted, in characters.
const MAX_QUOTE_CHARS: usize = 100;

/// The minimum length of a line that is quoted, in characters.
const MIN_QUOTE_CHARS: usize = 3;

/// A line in its quoted form; `None` if it is too short, too long or contains words of our notation.
pub(super) fn quote(line: &str) -> Option<&str> {
    let line = line.trim();
    let ours = line.contains(TO) || line.contains(SAME) || line.contains(char::is_control);
    let long = (MIN_QUOTE_CHARS..=MAX_QUOTE_CHARS).contains(&line.chars().count());
    (long && !ours && line.contains(char::is_alphanumeric)).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        let name = "src/in a.rs as last read in full above";
        for (lines, words) in [
            (Lines::All, "[all lines: same as in src/in a.rs as last read in full above]"),
            (
                Lines::Numbered(12..=80, 12..=80),
                "[lines 12-80: same as in src/in a.rs as last read in full above]",
            ),
            (
                Lines::Numbered(112..=130, 108..=126),
                "[lines 112-130: same as lines 108-126 in src/in a.rs as last read in full above]",
            ),
            (
                Lines::Block { count: 34, first: "fn main() {", last: "println!(\"in x\");" },
                "[34 lines from \"fn main() {\" to \"println!(\"in x\");\": same as in src/in a.rs as last read in full above]",
            ),
        ] {
            let reference = Reference { lines, name };
            assert_eq!(reference.to_string(), words);
            assert_eq!(read(words), Some(reference));
        }
    }

    #[test]
    fn what_is_spelled_otherwise_is_not_ours() {
        for words in [
            "",
            "[all lines: same as in x]",
            "[lines 3-1: same as in x above]",
            "[lines 0-1: same as in x above]",
            "[lines 01-2: same as in x above]",
            "[lines 1-2: same as lines 1-2 in x above]",
            "[lines 1-2: same as lines 3-5 in x above]",
            "[2 lines from \"a\": same as in x above]",
            " [all lines: same as in x above]",
            "[all lines: same1 in x above]",
        ] {
            assert_eq!(read(words), None, "{words}");
        }
    }

    #[test]
    fn lines_that_say_little_are_not_quoted() {
        assert_eq!(quote("  fn main() {  "), Some("fn main() {"));
        for line in
            ["}", "", "---------", "say \" to \" him", "x: same as y", &"x".repeat(101), "a\tb\u{1b}c"]
        {
            assert_eq!(quote(line), None, "{line}");
        }
    }
}

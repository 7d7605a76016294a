//! The words of references: `[terse1 earlier: A = call_1 (Read)]` once on top, `[= A lines 12-80]` where lines stood.
//!
//! Lines are called by the numbers that they begin with where they do, as in file reads, and counted otherwise.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use super::EARLIER;
use super::shown::{Shown, can_be_named, is_plain};
use crate::mark::{self, Marked};

/// What stands for lines, or for a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// Which of the texts that the note on top names.
    pub(super) name: usize,
    /// The lines there, from 1.
    pub(super) lines: RangeInclusive<usize>,
    pub(super) how: How,
    /// True when lines are counted though they begin with numbers.
    pub(super) counted: bool,
}

/// What becomes of the lines that are referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum How {
    /// They are as they stand there.
    Same,
    /// They begin with numbers, from this one on.
    From(usize),
    /// They have no numbers.
    Bare,
    /// Each has this before it.
    After(char),
    /// Of the one line, these bytes, from 1.
    Bytes(RangeInclusive<usize>),
}

/// The signs that a diff puts before lines.
pub(super) const SIGNS: [char; 3] = ['+', '-', ' '];

/// The note of a text with references, and what stands below it.
pub(super) fn open(text: &str) -> Option<(&str, &str)> {
    let marked = mark::read(text).filter(Marked::is_ours)?;
    let (stage, note) = marked.stage();
    (stage == EARLIER).then_some((note, marked.body))
}

/// The note that names texts.
pub(super) fn write(named: &[&Shown]) -> String {
    let name = |(at, shown): (usize, &&Shown)| {
        let tool = if is_plain(&shown.tool) { shown.tool.as_str() } else { "" };
        let tool = if tool.is_empty() { String::new() } else { format!(" ({tool})") };
        format!("{} = {}{tool}", letter(at), shown.id)
    };
    named.iter().enumerate().map(name).collect::<Vec<_>>().join(", ")
}

/// The ids that a note names.
pub(super) fn ids(note: &str) -> Option<Vec<&str>> {
    note.split(", ").take(MAX_NAMES + 1).enumerate().map(|(at, name)| id(at, name)).collect()
}

fn id(at: usize, name: &str) -> Option<&str> {
    let rest = name.strip_prefix(letter(at))?.strip_prefix(" = ")?;
    let id = rest.split_once(' ').map_or(rest, |(id, _)| id);
    can_be_named(id).then_some(id)
}

/// The most texts that one refers to.
pub(super) const MAX_NAMES: usize = LETTERS.len();

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

fn letter(at: usize) -> &'static str {
    LETTERS.get(at..=at).unwrap_or("?")
}

impl Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.lines.end() - self.lines.start();
        f.write_str("[")?;
        if let How::From(first) = self.how {
            span(f, &(first..=first + count))?;
            f.write_str(" ")?;
        }
        write!(f, "= {} ", letter(self.name))?;
        span(f, &self.lines)?;
        if self.counted {
            f.write_str(", counted")?;
        }
        match &self.how {
            How::Same | How::From(_) => {}
            How::Bare => f.write_str(", no numbers")?,
            How::After(sign) => write!(f, ", each after {sign:?}")?,
            How::Bytes(bytes) => write!(f, ", bytes {}-{}", bytes.start(), bytes.end())?,
        }
        f.write_str("]")
    }
}

fn span(f: &mut fmt::Formatter<'_>, lines: &RangeInclusive<usize>) -> fmt::Result {
    if lines.start() == lines.end() {
        return write!(f, "line {}", lines.start());
    }
    write!(f, "lines {}-{}", lines.start(), lines.end())
}

/// The reference that `words` are, brackets included.
pub(super) fn read(words: &str) -> Option<Reference> {
    let inside = words.strip_prefix('[')?.strip_suffix(']')?;
    let (numbers, rest) = inside.split_once("= ")?;
    let (name, rest) = rest.split_once(' ')?;
    let name = LETTERS.find(name).filter(|_| name.len() == 1)?;
    let mut parts = rest.split(", ");
    let lines = lines(parts.next()?)?;
    let mut part = parts.next();
    let counted = part == Some("counted");
    if counted {
        part = parts.next();
    }
    let how = match (numbers.strip_suffix(' '), part) {
        (Some(numbers), None) => How::From(*self::lines(numbers)?.start()),
        (None, part) => how(part)?,
        _ => return None,
    };
    let reference = Reference { name, lines, how, counted };
    // One way to say it: what reads alike but is spelled otherwise is not ours.
    (parts.next().is_none() && reference.to_string() == words).then_some(reference)
}

fn how(part: Option<&str>) -> Option<How> {
    let Some(part) = part else { return Some(How::Same) };
    if part == "no numbers" {
        return Some(How::Bare);
    }
    if let Some(bytes) = part.strip_prefix("bytes ") {
        return range(bytes).map(How::Bytes);
    }
    let sign = part.strip_prefix("each after '")?.strip_suffix('\'')?;
    SIGNS.into_iter().find(|known| sign.chars().eq([*known])).map(How::After)
}

fn lines(words: &str) -> Option<RangeInclusive<usize>> {
    match words.strip_prefix("line ") {
        Some(line) => line.parse().ok().map(|line: usize| line..=line),
        None => range(words.strip_prefix("lines ")?),
    }
}

/// A range of numbers from 1 on, none of them so large that it could run over.
fn range(words: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = words.split_once('-')?;
    let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last && last < usize::MAX / 2).then_some(first..=last)
}

/// The parts of a line, each with the reference that it is, if it is one.
pub(super) fn parts(line: &str) -> Vec<(&str, Option<Reference>)> {
    if let Some(reference) = read(line) {
        return vec![(line, Some(reference))];
    }
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(open) = line[at..].find('[').map(|found| at + found) {
        at = open + 1;
        if !line[at..].starts_with("= ") {
            continue;
        }
        let Some(close) = line[open..].bytes().take(MAX_WORDS).position(|byte| byte == b']') else {
            continue;
        };
        let words = &line[open..=open + close];
        let reference = read(words).filter(|reference| matches!(reference.how, How::Bytes(_)));
        if reference.is_some() {
            parts.push((&line[from..open], None));
            parts.push((words, reference));
            from = open + close + 1;
            at = from;
        }
    }
    parts.push((&line[from..], None));
    parts
}

/// The longest reference.
const MAX_WORDS: usize = 96;

/// True when a line refers to others.
pub(super) fn mentions(line: &str) -> bool {
    parts(line).iter().any(|(_, part)| part.is_some())
}

//! Finds the lines of a text that stand in earlier ones.

use std::ops::Range;

use super::index::{Place, hash};
use super::line::Line;
use super::note::{MAX_NAMES, SIGNS};
use super::shown::Shown;
use super::{History, Source};
use crate::{footer, mark, signal};

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Lines that are shown.
    Keep(Range<usize>),
    /// Lines that stand elsewhere.
    Refer(Run),
}

/// Lines of a text that stand in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) at: Range<usize>,
    /// Where the first of them stands.
    pub(super) place: Place,
    pub(super) likeness: Likeness,
}

/// How a line is like the one that it is found at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// Byte for byte.
    Same,
    /// The same text under another number.
    Numbered,
    /// The same text without the number.
    Bare,
    /// The same text with a sign of a diff before it.
    After(char),
}

/// Ink that is not worth a reference.
const MIN_INK: usize = 72;

/// What a text that was not named yet costs more, in ink.
const NAME: usize = 40;

/// Lines of a file that are shown at each end of a run, beside what is new there: they say where that is.
const CONTEXT: usize = 1;

/// The parts of a text, as it is to be shown.
pub(super) fn find(history: &History, source: Source, text: &str, lines: &[Line]) -> Vec<Piece> {
    let context = if source == Source::File { CONTEXT } else { 0 };
    let hashes = lines.iter().map(|line| hash(line.content(text).as_bytes())).collect();
    let unsigned = if is_diff(text) { unsigned(text, lines) } else { Vec::new() };
    let search =
        Search { history, text, lines, hashes, unsigned, fixed: fixed(source, text, lines), context };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut named: Vec<usize> = Vec::new();
    let (mut at, mut kept) = (0, 0);
    while at < lines.len() {
        let Some(run) = search.best(at, kept, &named) else {
            at += 1;
            continue;
        };
        at = run.at.end;
        let run = search.shrink(run, kept);
        if !search.pays(&run, &named) {
            continue;
        }
        if !named.contains(&run.place.shown) {
            named.push(run.place.shown);
        }
        pieces.push(Piece::Keep(kept..run.at.start));
        kept = run.at.end;
        pieces.push(Piece::Refer(run));
    }
    pieces.push(Piece::Keep(kept..lines.len()));
    pieces
}

/// True when lines may have the signs of a diff before them.
fn is_diff(text: &str) -> bool {
    text.starts_with("@@ -") || text.contains("\n@@ -")
}

/// The hashes of lines without the signs of a diff.
fn unsigned(text: &str, lines: &[Line]) -> Vec<u64> {
    lines.iter().map(|line| hash(unsign(line.full(text)).map_or("", |(_, rest)| rest).as_bytes())).collect()
}

/// The sign of a diff at the start of a line, and the rest.
fn unsign(line: &str) -> Option<(char, &str)> {
    SIGNS.into_iter().find_map(|sign| Some((sign, line.strip_prefix(sign)?)))
}

/// The lines that are shown whatever stands elsewhere: our own mark, and what tells of errors.
fn fixed(source: Source, text: &str, lines: &[Line]) -> Vec<bool> {
    let tells = |line: &Line| source == Source::Other && signal::find(line.full(text)).is_some();
    let mut fixed: Vec<bool> = lines.iter().map(tells).collect();
    if let (Some(first), Some(_)) = (fixed.first_mut(), mark::read(text)) {
        *first = true;
    }
    if footer::read(text).is_some() {
        fixed.iter_mut().rev().take(2).for_each(|last| *last = true);
    }
    fixed
}

struct Search<'s> {
    history: &'s History,
    text: &'s str,
    lines: &'s [Line],
    hashes: Vec<u64>,
    /// The same without the signs of a diff, if it is one.
    unsigned: Vec<u64>,
    fixed: Vec<bool>,
    context: usize,
}

impl Search<'_> {
    /// The longest run that holds line `at` and none before `from`.
    fn best(&self, at: usize, from: usize, named: &[usize]) -> Option<Run> {
        let line = self.lines[at];
        let (sign, rest) = unsign(line.full(self.text)).filter(|_| !self.unsigned.is_empty()).unzip();
        let index = &self.history.index;
        let plain = index.places(&self.hashes, at, line.content(self.text)).map(|place| (place, None));
        let signed = rest.into_iter().flat_map(|rest| index.places(&self.unsigned, at, rest));
        let mut best: Option<(usize, Run)> = None;
        for (place, sign) in plain.chain(signed.map(|place| (place, sign))) {
            let known = named.contains(&place.shown);
            if !known && named.len() == MAX_NAMES {
                continue;
            }
            let Some(run) = self.run(at, from, place, sign) else { continue };
            let worth = self.bytes(&run.at) + if known { NAME } else { 0 };
            if best.as_ref().is_none_or(|(most, _)| worth > *most) {
                best = Some((worth, run));
            }
        }
        best.map(|(_, run)| run)
    }

    /// The run of lines through line `at`, which may stand at `place`.
    fn run(&self, at: usize, from: usize, place: Place, sign: Option<char>) -> Option<Run> {
        let shown = self.history.shown.get(place.shown)?;
        let likeness = self.likeness(at, shown, place.line, sign)?;
        let fits = |at: usize, line: usize| self.fits(likeness, at, shown, line);
        let room = (self.lines.len() - at).min(shown.lines.len() - place.line);
        let ahead = (1..room)
            .take_while(|ahead| fits(at + ahead, place.line + ahead) && self.follows(likeness, at + ahead))
            .count();
        let room = (at - from).min(place.line);
        let back = (1..=room)
            .take_while(|back| fits(at - back, place.line - back) && self.follows(likeness, at - back + 1))
            .count();
        let place = Place { line: place.line - back, ..place };
        Some(Run { at: at - back..at + ahead + 1, place, likeness })
    }

    /// How line `at` is like a line of another text.
    fn likeness(&self, at: usize, shown: &Shown, line: usize, sign: Option<char>) -> Option<Likeness> {
        let plain = [Likeness::Same, Likeness::Numbered, Likeness::Bare];
        let all = sign.map_or(plain, |sign| [Likeness::After(sign); 3]);
        all.into_iter().find(|likeness| self.fits(*likeness, at, shown, line))
    }

    /// True when line `at` is so like a line of another text.
    fn fits(&self, likeness: Likeness, at: usize, shown: &Shown, line: usize) -> bool {
        let (ours, theirs) = (&self.lines[at], &shown.lines[line]);
        if self.fixed[at] || theirs.is_reference {
            return false;
        }
        let (full, text) = (ours.full(self.text), shown.text.as_str());
        match likeness {
            Likeness::Same => full == theirs.full(text),
            Likeness::Bare => theirs.number.is_some() && full == theirs.content(text),
            Likeness::After(sign) => full.strip_prefix(sign) == Some(theirs.content(text)),
            Likeness::Numbered => {
                ours.number.is_some()
                    && ours.content(self.text) == theirs.content(text)
                    && ours.has_gutter_of(self.text, theirs, text)
            }
        }
    }

    /// True when the number of a line is the one after that of the line before, where that matters.
    fn follows(&self, likeness: Likeness, at: usize) -> bool {
        let next = || Some(self.lines[at].number? == self.lines[at - 1].number? + 1);
        likeness != Likeness::Numbered || next() == Some(true)
    }

    /// The run without its ends, where they meet lines that are shown.
    fn shrink(&self, run: Run, kept: usize) -> Run {
        let Run { at, place, likeness } = run;
        let first = if at.start > kept { self.context } else { 0 };
        let last = if at.end < self.lines.len() { self.context } else { 0 };
        let start = (at.start + first).min(at.end);
        let end = at.end.saturating_sub(last).max(start);
        Run { place: Place { line: place.line + start - at.start, ..place }, at: start..end, likeness }
    }

    /// True when a run is worth a reference.
    fn pays(&self, run: &Run, named: &[usize]) -> bool {
        let name = if named.contains(&run.place.shown) { 0 } else { NAME };
        let lines = &self.lines[run.at.clone()];
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return false };
        let ends = 2 * lines.len();
        ends + ink(&self.text[first.start..last.end]) >= MIN_INK + name
    }

    fn bytes(&self, lines: &Range<usize>) -> usize {
        self.lines[lines.end - 1].end + 1 - self.lines[lines.start].start
    }
}

/// How much a text says, roughly: a rule of eighty dashes is a token or two, and so is any white space.
pub(super) fn ink(text: &str) -> usize {
    let mut last = 0;
    let new = |byte: &u8| {
        let new = *byte != last && *byte > b' ' && !(0x80..0xC0).contains(byte);
        last = *byte;
        new
    };
    text.bytes().filter(new).count()
}

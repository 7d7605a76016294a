//! Finds the lines of a text that stand in earlier ones and may be named instead of said.
//!
//! What a file shows is named only where the same file showed it, and never beside what changed since: an edit quotes
//! what it changes and what is around that. What other tools print is named wherever it stands, but for what tells of
//! an error and what is around that.

use std::collections::HashMap;
use std::ops::Range;

use tersely_stage::{Call, signal};

use crate::session::index::{LinePlace, hash};
use crate::session::line::SessionLine;
use crate::session::shown::Shown;
use crate::session::source::Source;
use crate::session::words::{Lines, Reference, quote};
use crate::session::{Session, shown};
use crate::tokens::O200k;

/// Lines of a text that stand in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRun {
    pub(super) at: Range<usize>,
    /// The words that stand for them.
    pub(super) words: String,
    /// What the words spare, in tokens.
    spared: usize,
}

/// The most references in a text.
const MAX_RUNS: usize = 4;

/// The fewest lines of a run that says little.
const MIN_LINES: usize = 8;

/// The fewest tokens of a run of few lines.
const MIN_TOKENS: usize = 80;

/// Lines of a file that are shown beside what changed.
const BESIDE_CHANGE: usize = 5;

/// Lines that are shown beside one that tells of an error.
const BESIDE_ERROR: usize = 3;

/// A text, and what is known of it.
pub(super) struct RunSubject<'s> {
    pub(super) call: Call<'s>,
    pub(super) source: Source,
    pub(super) text: &'s str,
    pub(super) lines: &'s [SessionLine],
}

/// True when lines that cost so much are worth a reference.
pub(super) fn is_worth(lines: usize, cost: usize) -> bool {
    lines >= MIN_LINES || cost >= MIN_TOKENS
}

/// The runs of a text that are named, in order.
pub(super) fn find(history: &Session, subject: &RunSubject<'_>) -> Vec<LineRun> {
    let mut search = Search {
        history,
        subject,
        hashes: subject.lines.iter().map(|line| hash(line.content(subject.text).as_bytes())).collect(),
        fixed: fixed(subject),
        is_numbered: subject.source == Source::File && shown::is_numbered(subject.lines),
        quotes: HashMap::new(),
    };
    let mut runs = Vec::new();
    let (mut at, mut from) = (0, 0);
    while at < subject.lines.len() {
        let Some(found) = search.best(at, from) else {
            at += 1;
            continue;
        };
        at = found.at.end;
        if let Some(run) = search.named(found).and_then(|named| priced(subject, named)) {
            from = run.at.end;
            runs.push(run);
        }
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.spared));
    runs.truncate(MAX_RUNS);
    runs.sort_by_key(|run| run.at.start);
    runs
}

/// The run under these words, if it is worth them.
fn priced(subject: &RunSubject<'_>, (at, words): (Range<usize>, String)) -> Option<LineRun> {
    let (first, last) = (subject.lines.get(at.start)?, subject.lines.get(at.end.checked_sub(1)?)?);
    let cost = O200k.count(subject.text.get(first.start..last.end)?);
    let spared = cost.checked_sub(2 * O200k.count(&words))?;
    is_worth(at.len(), cost).then_some(LineRun { at, words, spared })
}

/// The lines that are shown whatever stands elsewhere.
fn fixed(subject: &RunSubject<'_>) -> Vec<bool> {
    let mut fixed = vec![false; subject.lines.len()];
    if subject.source == Source::File {
        return fixed;
    }
    for (at, line) in subject.lines.iter().enumerate() {
        if signal::find(line.full(subject.text)).is_some() {
            let end = (at + BESIDE_ERROR + 1).min(fixed.len());
            fixed[at.saturating_sub(BESIDE_ERROR)..end].fill(true);
        }
    }
    fixed
}

/// Lines that stand elsewhere, before it is known how to name them.
struct Found {
    at: Range<usize>,
    place: LinePlace,
}

struct Search<'s> {
    history: &'s Session,
    subject: &'s RunSubject<'s>,
    hashes: Vec<u64>,
    fixed: Vec<bool>,
    /// True when lines go by the numbers that they begin with.
    is_numbered: bool,
    /// How often a line stands in a text, by the text.
    quotes: HashMap<usize, HashMap<&'s str, usize>>,
}

impl<'s> Search<'s> {
    /// The longest run that holds line `at` and none before `from`.
    fn best(&self, at: usize, from: usize) -> Option<Found> {
        let content = self.subject.lines[at].content(self.subject.text);
        let places = self.history.index.places(&self.hashes, at, content);
        let runs = places.filter_map(|place| self.run(at, from, place));
        // Of runs that are as long, the latest.
        runs.reduce(|best, run| if self.bytes(&run.at) > self.bytes(&best.at) { run } else { best })
    }

    fn bytes(&self, lines: &Range<usize>) -> usize {
        self.subject.lines[lines.end - 1].end + 1 - self.subject.lines[lines.start].start
    }

    /// The run of lines through line `at`, which may stand at `place`.
    fn run(&self, at: usize, from: usize, place: LinePlace) -> Option<Found> {
        let shown = self.history.shown.get(place.shown).filter(|shown| self.may_name(shown))?;
        let fits = |at: usize, line: usize| self.fits(at, shown, line);
        if !fits(at, place.line) {
            return None;
        }
        let room = (self.subject.lines.len() - at).min(shown.lines.len() - place.line);
        let ahead = (1..room)
            .take_while(|ahead| fits(at + ahead, place.line + ahead))
            .take_while(|ahead| self.follows(shown, at + ahead, place.line + ahead))
            .count();
        let room = (at - from).min(place.line);
        let back = (1..=room)
            .take_while(|back| fits(at - back, place.line - back))
            .take_while(|back| self.follows(shown, at - back + 1, place.line - back + 1))
            .count();
        let place = LinePlace { line: place.line - back, ..place };
        Some(Found { at: at - back..at + ahead + 1, place })
    }

    /// True when lines of that text may be named here.
    fn may_name(&self, shown: &Shown) -> bool {
        let RunSubject { call, source, .. } = *self.subject;
        let known = match source {
            Source::File => shown.source == source && shown.is_same_file(call),
            Source::Other => shown.source == source,
            Source::Edit => false,
        };
        let findable = !self.is_numbered || shown.is_numbered();
        known && findable && self.history.name_of(shown).is_some()
    }

    /// True when line `at` says what a line of another text says.
    fn fits(&self, at: usize, shown: &Shown, line: usize) -> bool {
        let (ours, theirs) = (&self.subject.lines[at], &shown.lines[line]);
        let (text, other) = (self.subject.text, shown.text.as_str());
        if self.fixed[at] || theirs.is_reference {
            return false;
        }
        if !self.is_numbered {
            return ours.full(text) == theirs.full(other);
        }
        ours.number.is_some()
            && theirs.number.is_some()
            && ours.content(text) == theirs.content(other)
            && ours.has_gutter_of(text, theirs, other)
    }

    /// True when the numbers of both lines are the ones after those of the lines before, where that matters.
    fn follows(&self, shown: &Shown, at: usize, line: usize) -> bool {
        let next = |lines: &[SessionLine], at: usize| Some(lines[at].number? == lines[at - 1].number? + 1);
        !self.is_numbered
            || next(self.subject.lines, at) == Some(true) && next(&shown.lines, line) == Some(true)
    }

    /// The lines of a run that can be named, and the words for them.
    fn named(&mut self, found: Found) -> Option<(Range<usize>, String)> {
        let history: &'s Session = self.history;
        let shown = history.shown.get(found.place.shown)?;
        let Found { at, place } = self.quoted(shown, self.apart(shown, found))?;
        let there = place.line..place.line + at.len();
        let lines = if self.is_numbered {
            let range = |first: usize| first..=first + at.len() - 1;
            let (here, there) = (self.subject.lines[at.start].number?, shown.lines[there.start].number?);
            Lines::Numbered(range(here), range(there))
        } else {
            let line = |line: usize| quote(shown.lines[line].full(&shown.text));
            Lines::Block { count: at.len(), first: line(there.start)?, last: line(there.end - 1)? }
        };
        Some((at, Reference { lines, name: history.name_of(shown)? }.to_string()))
    }

    /// The run without what stands beside a change: its ends, but where both texts begin or end.
    fn apart(&self, shown: &Shown, Found { at, place }: Found) -> Found {
        let beside = if self.subject.source == Source::File { BESIDE_CHANGE } else { 0 };
        let begins = at.start == 0 && place.line == 0;
        let ends = at.end == self.subject.lines.len() && place.line + at.len() == shown.lines.len();
        let start = (at.start + if begins { 0 } else { beside }).min(at.end);
        let end = at.end.saturating_sub(if ends { 0 } else { beside }).max(start);
        Found { place: LinePlace { line: place.line + start - at.start, ..place }, at: start..end }
    }

    /// The run from the first to the last of its lines that stand there once and can be quoted.
    fn quoted(&mut self, shown: &'s Shown, Found { at, place }: Found) -> Option<Found> {
        if self.is_numbered || at.is_empty() {
            return (!at.is_empty()).then_some(Found { at, place });
        }
        let quotes = self.quotes.entry(place.shown).or_insert_with(|| shown.quotes());
        let is_one = |line: usize| {
            let line = shown.lines[line].full(&shown.text);
            quote(line).is_some_and(|quote| quotes.get(quote) == Some(&1))
        };
        let mut there = place.line..place.line + at.len();
        let (first, last) = (there.find(|line| is_one(*line))?, there.rfind(|line| is_one(*line))?);
        let start = at.start + first - place.line;
        Some(Found { at: start..start + last + 1 - first, place: LinePlace { line: first, ..place } })
    }
}

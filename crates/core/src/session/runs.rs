//! Finds runs of lines in a text that earlier results show and that a reference may replace.
//!
//! Lines of a file are replaced only if an earlier result shows the same file, and never next to a change: an edit
//! quotes the lines that it changes and those around them. Lines of other results are replaced at any position, except
//! errors and the lines around them.

use std::collections::HashMap;
use std::ops::Range;

use tersely_stage::{Call, signal};

use crate::session::index::{LinePlace, hash};
use crate::session::line::SessionLine;
use crate::session::shown_result::ShownResult;
use crate::session::source::Source;
use crate::session::words::{Lines, Reference, quote};
use crate::session::{Session, shown_result};
use crate::tokens::O200k;

/// A run of lines that an earlier result shows too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRun {
    pub(super) at: Range<usize>,
    /// The reference that replaces the lines.
    pub(super) words: String,
    /// The number of tokens that the reference saves.
    saved: usize,
}

/// The maximum number of references in one text.
const MAX_RUNS: usize = 4;

/// A run of at least this many lines is replaced even if it has few tokens.
const MIN_LINES: usize = 8;

/// A run of at least this many tokens is replaced even if it has few lines.
const MIN_TOKENS: usize = 80;

/// The number of lines of a file that are shown on each side of a change.
const LINES_BESIDE_CHANGE: usize = 5;

/// The number of lines that are shown on each side of an error.
const LINES_BESIDE_ERROR: usize = 3;

/// A text, its source, and its lines.
pub(super) struct RunSubject<'s> {
    pub(super) call: Call<'s>,
    pub(super) source: Source,
    pub(super) text: &'s str,
    pub(super) lines: &'s [SessionLine],
}

/// True when a run of this many lines and this cost in tokens is long enough for a reference.
pub(super) fn is_worth(lines: usize, cost: usize) -> bool {
    lines >= MIN_LINES || cost >= MIN_TOKENS
}

/// The runs of a text that references replace, in order.
pub(super) fn find(history: &Session, subject: &RunSubject<'_>) -> Vec<LineRun> {
    let mut search = Search {
        history,
        subject,
        hashes: subject.lines.iter().map(|line| hash(line.content(subject.text).as_bytes())).collect(),
        always_shown: lines_around_errors(subject),
        is_numbered: subject.source == Source::File && shown_result::is_numbered(subject.lines),
        quotes: HashMap::new(),
    };
    let mut runs = Vec::new();
    let (mut at, mut from) = (0, 0);
    while at < subject.lines.len() {
        let Some(candidate) = search.longest(at, from) else {
            at += 1;
            continue;
        };
        at = candidate.at.end;
        if let Some(run) = search.name_run(candidate).and_then(|named| price(subject, named)) {
            from = run.at.end;
            runs.push(run);
        }
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.saved));
    runs.truncate(MAX_RUNS);
    runs.sort_by_key(|run| run.at.start);
    runs
}

/// The run with the number of tokens that its reference saves, if that is enough.
fn price(subject: &RunSubject<'_>, (at, words): (Range<usize>, String)) -> Option<LineRun> {
    let (first, last) = (subject.lines.get(at.start)?, subject.lines.get(at.end.checked_sub(1)?)?);
    let cost = O200k.count(subject.text.get(first.start..last.end)?);
    let saved = cost.checked_sub(2 * O200k.count(&words))?;
    is_worth(at.len(), cost).then_some(LineRun { at, words, saved })
}

/// For each line, whether it is an error or close to one.
fn lines_around_errors(subject: &RunSubject<'_>) -> Vec<bool> {
    let mut around = vec![false; subject.lines.len()];
    if subject.source == Source::File {
        return around;
    }
    for (at, line) in subject.lines.iter().enumerate() {
        if signal::find(line.full(subject.text)).is_some() {
            let end = (at + LINES_BESIDE_ERROR + 1).min(around.len());
            around[at.saturating_sub(LINES_BESIDE_ERROR)..end].fill(true);
        }
    }
    around
}

/// Lines that an earlier result shows too, before a reference to them is written.
struct Candidate {
    at: Range<usize>,
    place: LinePlace,
}

/// The search for runs in one text.
struct Search<'s> {
    history: &'s Session,
    subject: &'s RunSubject<'s>,
    hashes: Vec<u64>,
    /// Lines that no reference may replace.
    always_shown: Vec<bool>,
    /// True when references identify lines by the numbers that they begin with.
    is_numbered: bool,
    /// How often each line occurs in each earlier text, by the index of that text.
    quotes: HashMap<usize, HashMap<&'s str, usize>>,
}

impl<'s> Search<'s> {
    /// The longest run that contains line `at` and no line before `from`.
    fn longest(&self, at: usize, from: usize) -> Option<Candidate> {
        let content = self.subject.lines[at].content(self.subject.text);
        let places = self.history.index.places(&self.hashes, at, content);
        let runs = places.filter_map(|place| self.run(at, from, place));
        // The latest places come first, so of runs of equal length the latest wins.
        runs.reduce(|best, run| if self.bytes(&run.at) > self.bytes(&best.at) { run } else { best })
    }

    fn bytes(&self, lines: &Range<usize>) -> usize {
        self.subject.lines[lines.end - 1].end + 1 - self.subject.lines[lines.start].start
    }

    /// The run of equal lines around line `at`, if this line equals the line at `place`.
    fn run(&self, at: usize, from: usize, place: LinePlace) -> Option<Candidate> {
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
        Some(Candidate { at: at - back..at + ahead + 1, place })
    }

    /// True when a reference may lead to this earlier result.
    fn may_name(&self, shown: &ShownResult) -> bool {
        let RunSubject { call, source, .. } = *self.subject;
        let known = match source {
            Source::File => shown.source == source && shown.is_same_file(call),
            Source::Other => shown.source == source,
            Source::Edit => false,
        };
        let findable = !self.is_numbered || shown.is_numbered();
        known && findable && self.history.name_of(shown).is_some()
    }

    /// True when line `at` equals line `line` of an earlier result.
    fn fits(&self, at: usize, shown: &ShownResult, line: usize) -> bool {
        let (ours, theirs) = (&self.subject.lines[at], &shown.lines[line]);
        let (text, other) = (self.subject.text, shown.text.as_str());
        if self.always_shown[at] || theirs.is_reference {
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

    /// True when each of the two lines is numbered one higher than the line before it, or when lines are not
    /// identified by number.
    fn follows(&self, shown: &ShownResult, at: usize, line: usize) -> bool {
        let next = |lines: &[SessionLine], at: usize| Some(lines[at].number? == lines[at - 1].number? + 1);
        !self.is_numbered
            || next(self.subject.lines, at) == Some(true) && next(&shown.lines, line) == Some(true)
    }

    /// The lines of a run that a reference can identify, and the reference.
    fn name_run(&mut self, candidate: Candidate) -> Option<(Range<usize>, String)> {
        let history: &'s Session = self.history;
        let shown = history.shown.get(candidate.place.shown)?;
        let Candidate { at, place } = self.quotable(shown, self.without_margins(shown, candidate))?;
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

    /// The run without the lines next to a change: its first and last lines, unless both texts begin or end there.
    fn without_margins(&self, shown: &ShownResult, Candidate { at, place }: Candidate) -> Candidate {
        let beside = if self.subject.source == Source::File { LINES_BESIDE_CHANGE } else { 0 };
        let begins = at.start == 0 && place.line == 0;
        let ends = at.end == self.subject.lines.len() && place.line + at.len() == shown.lines.len();
        let start = (at.start + if begins { 0 } else { beside }).min(at.end);
        let end = at.end.saturating_sub(if ends { 0 } else { beside }).max(start);
        Candidate { place: LinePlace { line: place.line + start - at.start, ..place }, at: start..end }
    }

    /// The run shortened so that its first and last lines are unique in the earlier result and can be quoted.
    fn quotable(&mut self, shown: &'s ShownResult, Candidate { at, place }: Candidate) -> Option<Candidate> {
        if self.is_numbered || at.is_empty() {
            return (!at.is_empty()).then_some(Candidate { at, place });
        }
        let quotes = self.quotes.entry(place.shown).or_insert_with(|| shown.quotes());
        let is_one = |line: usize| {
            let line = shown.lines[line].full(&shown.text);
            quote(line).is_some_and(|quote| quotes.get(quote) == Some(&1))
        };
        let mut there = place.line..place.line + at.len();
        let (first, last) = (there.find(|line| is_one(*line))?, there.rfind(|line| is_one(*line))?);
        let start = at.start + first - place.line;
        Some(Candidate { at: start..start + last + 1 - first, place: LinePlace { line: first, ..place } })
    }
}

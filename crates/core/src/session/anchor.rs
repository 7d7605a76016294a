//! Finds long parts of long lines, such as JSON on one line, that stand in earlier ones.
//!
//! Whether a place is an anchor depends on the bytes there alone, so the same bytes have the same anchors in every
//! line, and a few of all places need to be kept.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::index::{AsIs, Place};
use super::line::Line;
use super::runs::ink;
use super::shown::Shown;
use super::{History, Source};
use crate::signal;

/// Shorter lines stand or differ as a whole.
const MIN_LINE: usize = 160;

/// Bytes that are not worth a reference.
const MIN_CUT: usize = 120;

/// Bytes shown at each end of a cut, for a reader to find its place by.
const CONTEXT: usize = 10;

/// Ink that is not worth a reference.
const MIN_INK: usize = 80;

/// Bytes shown at each side of what tells of an error.
const AROUND: usize = 60;

/// Bytes that decide whether a place is an anchor.
const WINDOW: usize = 24;

/// One place in so many is one.
const SPREAD: u64 = 8;

/// The anchors of all long lines that can be named.
#[derive(Default)]
pub(super) struct Anchors {
    places: HashMap<u64, (Place, usize), BuildHasherDefault<AsIs>>,
}

/// A part of a line, and where it stands.
pub(super) struct Cut {
    pub(super) part: Range<usize>,
    pub(super) place: Place,
    pub(super) start: usize,
}

impl Anchors {
    /// Adds the long lines of a text.
    pub(super) fn add(&mut self, shown: usize, text: &Shown) {
        let long = |line: &Line| line.len() >= MIN_LINE && !line.is_reference;
        for (at, line) in text.lines.iter().enumerate().filter(|(_, line)| long(line)) {
            let place = Place { shown, line: at };
            let anchors = anchors(line.full(&text.text).as_bytes());
            self.places.extend(anchors.map(|(hash, offset)| (hash, (place, offset))));
        }
    }
}

/// The parts of a line that stand in earlier ones, in order; what tells of errors is shown with what is around it.
pub(super) fn cuts(history: &History, source: Source, line: &str) -> Vec<Cut> {
    let mut cuts = Vec::new();
    if line.len() < MIN_LINE || history.anchors.places.is_empty() {
        return cuts;
    }
    let mut from = 0;
    for (hash, offset) in anchors(line.as_bytes()) {
        if offset < from {
            continue;
        }
        let Some((place, start)) = history.anchors.places.get(&hash).copied() else { continue };
        let Some(shown) = history.shown.get(place.shown) else { continue };
        let theirs = shown.lines[place.line].full(&shown.text);
        let Some(cut) = cut(line, (from, offset), theirs, (place, start)) else { continue };
        from = cut.part.end;
        let quiet =
            if source == Source::File { vec![cut.part.clone()] } else { quiet(line, cut.part.clone()) };
        let pays = |part: &Range<usize>| part.len() >= MIN_CUT && ink(&line[part.clone()]) >= MIN_INK;
        let parts = quiet.into_iter().filter(pays);
        cuts.extend(parts.map(|part| Cut { start: cut.start + part.start - cut.part.start, part, place }));
    }
    cuts
}

/// The parts of a part without what tells of errors.
fn quiet(line: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut from) = (Vec::new(), part.start);
    while let Some(words) = signal::find(&line[from..part.end]) {
        parts.push(from..down(line, (from + words.start).saturating_sub(AROUND).max(from)));
        from = up(line, (from + words.end + AROUND).min(part.end));
    }
    parts.push(from..part.end);
    parts
}

/// The part around two anchors that is the same, none of it before `from`.
fn cut(
    line: &str,
    (from, ours): (usize, usize),
    theirs: &str,
    (place, start): (Place, usize),
) -> Option<Cut> {
    let (one, two) = (line.as_bytes(), theirs.as_bytes());
    let back =
        one[from..ours].iter().rev().zip(two[..start].iter().rev()).take_while(|(a, b)| a == b).count();
    let ahead = one[ours..].iter().zip(&two[start..]).take_while(|(a, b)| a == b).count();
    let (first, last) = (ours - back, ours + ahead);
    let keep = |edge: usize, at: usize| if at == edge { 0 } else { CONTEXT };
    let first = up(line, first + keep(0, first));
    let last = down(line, last.saturating_sub(keep(line.len(), last)));
    if last < first + MIN_CUT {
        return None;
    }
    let start = start + first - ours;
    Some(Cut { part: first..last, place, start })
}

/// The first place from `at` on where a word begins or ends, if there is one near.
fn up(line: &str, at: usize) -> usize {
    let near = at..line.len().min(at + NEAR);
    let next = || (at..line.len()).find(|at| line.is_char_boundary(*at));
    near.into_iter().find(|at| is_edge(line, *at)).or_else(next).unwrap_or(line.len())
}

/// The last place up to `at` where a word begins or ends, if there is one near.
fn down(line: &str, at: usize) -> usize {
    let near = at.saturating_sub(NEAR)..=at;
    let next = || (0..=at).rev().find(|at| line.is_char_boundary(*at));
    near.rev().find(|at| is_edge(line, *at)).or_else(next).unwrap_or(0)
}

/// How far a word is looked through for its end, in bytes.
const NEAR: usize = 16;

fn is_edge(line: &str, at: usize) -> bool {
    let bytes = line.as_bytes();
    let part = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    line.is_char_boundary(at) && !(part(at.checked_sub(1)) && part(Some(at)))
}

/// The anchors of a line: a hash of the bytes there, and where they begin.
fn anchors(bytes: &[u8]) -> impl Iterator<Item = (u64, usize)> {
    const BASE: u64 = 0x0100_0000_01B3;
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let oldest = (0..WINDOW - 1).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut sum = bytes
        .iter()
        .take(WINDOW - 1)
        .fold(0u64, |sum, byte| sum.wrapping_mul(BASE).wrapping_add(u64::from(*byte)));
    let mut before = None;
    (WINDOW - 1..bytes.len()).filter_map(move |end| {
        let start = end + 1 - WINDOW;
        sum = sum.wrapping_mul(BASE).wrapping_add(u64::from(bytes[end]));
        let hash = sum.wrapping_mul(ODD);
        let hash = hash ^ (hash >> 31);
        sum = sum.wrapping_sub(u64::from(bytes[start]).wrapping_mul(oldest));
        // Bytes that repeat have the same hash at every place.
        let is_anchor = hash % SPREAD == 0 && before != Some(hash);
        if is_anchor {
            before = Some(hash);
        }
        is_anchor.then_some((hash, start))
    })
}

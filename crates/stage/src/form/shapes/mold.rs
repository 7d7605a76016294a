//! The shape of lines that begin alike, and how its values are taken from a line.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::form::log::weigh::weigh;
use crate::form::shapes::mine::{AlikeLines, LineWords};
use crate::form::shapes::shape::{BRACKETS, LineShape, ShapePart};
use crate::form::shapes::unit::Unit;

/// A shape, and how its values are taken from a line.
#[derive(Debug)]
pub(super) struct Mold {
    pub(super) shape: LineShape,
    takes: Vec<Take>,
    pub(super) group: AlikeLines,
    pub(super) gain: usize,
    /// What its lines cost with it.
    weight: usize,
    /// The same for molds that were one.
    pub(super) kin: usize,
}

/// Where a value stands in a line: from the word `from` without its first bytes to the word `to` without its last, and a
/// bracket that closes behind it; or to the end of the line.
#[derive(Debug, Clone, Copy)]
struct Take {
    from: usize,
    head: usize,
    to: Option<usize>,
    tail: usize,
    closes: usize,
}

/// More values than these are hard to tell apart.
const MAX_PLACES: usize = 9;

/// A beginning of a path that is shorter than this stays with the path.
const MIN_PATH: usize = 8;

/// What a line must save at least, and how much of it may be left, in percent: less is not worth a look at its shape.
const MIN_SAVED: usize = 3;
const MOST: usize = 85;

/// What a mold must save of what two saved, in percent.
const MERGED: usize = 75;

/// Lines by which a gain is estimated.
const SAMPLES: usize = 24;

impl Mold {
    /// The mold of lines that begin alike; `None` when they have too little in common after all.
    pub(super) fn of(lines: &LineWords<'_>, group: AlikeLines) -> Option<Self> {
        let pieces = pieces(lines, &group)?;
        let mut shape = LineShape::default();
        let mut takes = Vec::new();
        let mut seen: HashMap<u64, usize> = HashMap::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => shape.push(text),
                Piece::Take(take) => {
                    let next = takes.len();
                    let place = *seen.entry(values(lines, &group.lines, take)?).or_insert(next);
                    if place == next {
                        takes.push(take);
                    }
                    shape.parts.push(ShapePart::Place(place));
                }
            }
        }
        shape.places = takes.len();
        let mut mold = Self { shape, takes, kin: group.lines[0], group, gain: 0, weight: 0 };
        mold.weigh(lines);
        (mold.shape.places <= MAX_PLACES && (mold.group.whole || mold.is_closed())).then_some(mold)
    }

    /// True when every bracket and quote that its text opens is closed there.
    fn is_closed(&self) -> bool {
        let count = |sign: char| self.shape.text().map(|text| text.matches(sign).count()).sum::<usize>();
        let paired = |[open, close]: [char; 2]| count(open) == count(close);
        [['(', ')'], ['[', ']'], ['{', '}']].into_iter().all(paired) && count('"').is_multiple_of(2)
    }

    /// True when no value breaks off within quotes.
    pub(super) fn is_even(&self) -> bool {
        let count = |sign: char| self.shape.text().map(|text| text.matches(sign).count()).sum::<usize>();
        ['"', '\''].into_iter().all(|sign| count(sign).is_multiple_of(2))
    }

    /// One mold for the lines of both, if it saves nearly as much: values are easier to read than many shapes.
    pub(super) fn merged(&self, lines: &LineWords<'_>, other: &Self) -> Option<Self> {
        let AlikeLines { depth, whole, .. } = self.group;
        let mut both = [&*self.group.lines, &*other.group.lines].concat();
        both.sort_unstable();
        let merged = Self::of(lines, AlikeLines { lines: both, depth, whole })?;
        (merged.gain * 100 >= (self.gain + other.gain) * MERGED).then_some(merged)
    }

    /// The same for molds that may be merged: with as many words, parted by the same signs.
    pub(super) fn frame<'a>(&self, lines: &LineWords<'a>) -> (usize, bool, Vec<&'a str>) {
        let AlikeLines { depth, whole, .. } = self.group;
        let first = self.group.lines[0];
        let spaces = lines.units(first).iter().take(depth).map(|unit| unit.space(lines.texts[first]));
        (depth, whole, spaces.collect())
    }

    /// The values of `line`, if it has this shape.
    pub(super) fn take<'a>(&self, lines: &LineWords<'a>, line: usize) -> Option<Vec<&'a str>> {
        let (text, units) = (lines.texts[line], lines.units(line));
        let values: Vec<_> = self.takes.iter().map(|take| take.value(text, units)).collect::<Option<_>>()?;
        let mut back = String::with_capacity(text.len());
        self.shape.fill(&mut back, &values);
        (back == text).then_some(values)
    }

    /// Estimates what the shape saves, by some of its lines.
    fn weigh(&mut self, lines: &LineWords<'_>) {
        let step = self.group.lines.len().div_ceil(SAMPLES);
        let (mut before, mut after, mut count) = (0, 0, 0);
        for &line in self.group.lines.iter().step_by(step) {
            let Some(values) = self.take(lines, line) else { continue };
            before += weigh(lines.texts[line]);
            after += weigh(&values.join(",")) + 3;
            count += 1;
        }
        let worth = before >= after + count * MIN_SAVED && after * 100 <= before * MOST;
        let all = |weight: usize| weight * self.group.lines.len() / count.max(1);
        let saved = if worth { all(before - after) } else { 0 };
        self.weight = all(after);
        self.gain = saved.saturating_sub(weigh(&self.shape.print(BRACKETS[0])) + 4);
    }

    /// Two molds in its place, the first for the lines with a value that is worth a shape of its own.
    pub(super) fn parted(&self, lines: &LineWords<'_>) -> Option<[Self; 2]> {
        let usual = self.usual(lines)?;
        let AlikeLines { depth, whole, .. } = self.group;
        let is_usual = |line: &&usize| usual.binary_search(line).is_ok();
        let rest = self.group.lines.iter().filter(|line| !is_usual(line)).copied().collect();
        let mold = |lines_of| Self::of(lines, AlikeLines { lines: lines_of, depth, whole });
        Some([mold(usual.clone())?, mold(rest)?].map(|mold| Self { kin: self.kin, ..mold }))
    }

    /// The lines that have the one value which is worth a shape of its own, if there is one.
    fn usual(&self, lines: &LineWords<'_>) -> Option<Vec<usize>> {
        let step = self.group.lines.len().div_ceil(MAX_LOOKS);
        let own = weigh(&self.shape.print(BRACKETS[0])) + 6;
        let mut best = (own.max(self.weight / USUAL), None);
        for take in &self.takes {
            let value = |line: usize| take.value(lines.texts[line], lines.units(line));
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for &line in self.group.lines.iter().step_by(step) {
                *counts.entry(value(line)?).or_default() += step;
            }
            let (text, count) = counts.into_iter().max_by_key(|(text, count)| (*count, *text))?;
            let gain = count * (weigh(text) + 1);
            if count < self.group.lines.len() && gain > best.0 {
                let usual = self.group.lines.iter().copied().filter(|&line| value(line) == Some(text));
                best = (gain, Some(usual.collect()));
            }
        }
        best.1
    }
}

/// What a usual value must save, as a part of what the lines cost.
const USUAL: usize = 4;

/// Lines whose values are counted.
const MAX_LOOKS: usize = 512;

impl Take {
    fn value<'a>(&self, text: &'a str, units: &[Unit]) -> Option<&'a str> {
        let from = units.get(self.from)?;
        match self.to {
            Some(to) => {
                text.get(from.at() + self.head..(units.get(to)?.end() + self.closes).checked_sub(self.tail)?)
            }
            None => text.get(from.end() + self.head..),
        }
    }
}

/// A number that is the same for takes with the same values; `None` when a line has no such value.
fn values(lines: &LineWords<'_>, group: &[usize], take: Take) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for &line in group {
        take.value(lines.texts[line], lines.units(line))?.hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// A part of a mold: what stands in every line, or a value.
enum Piece<'a> {
    Text(&'a str),
    Take(Take),
}

/// What the words of lines share at one place.
struct Shared<'a> {
    first: &'a str,
    space: &'a str,
    head: usize,
    tail: usize,
    same: bool,
}

/// What stands in every line and what differs, in order.
fn pieces<'a>(lines: &LineWords<'a>, group: &AlikeLines) -> Option<Vec<Piece<'a>>> {
    let first = *group.lines.first()?;
    let (text, units) = (lines.texts[first], lines.units(first));
    let mut shared = shared(lines, group)?;
    while !group.whole && shared.pop_if(|word| !word.same).is_some() {}
    let (mut pieces, mut at, mut closed) = (Vec::new(), 0, 0);
    while let Some(word) = shared.get(at) {
        pieces.push(Piece::Text(&word.space[closed..]));
        closed = 0;
        if word.same {
            pieces.push(Piece::Text(word.first));
            at += 1;
            continue;
        }
        let last = joined(&shared, at);
        let (start, end) = (units[at].at() + word.head, units[last].end());
        closed = usize::from(last > at && closes(&text[start..end], &text[end..]));
        let tail = if closed > 0 { 0 } else { shared[last].tail };
        pieces.push(Piece::Text(&word.first[..word.head]));
        pieces.push(Piece::Take(Take { from: at, head: word.head, to: Some(last), tail, closes: closed }));
        pieces.push(Piece::Text(&text[end - tail..end]));
        at = last + 1;
    }
    let last = shared.len().checked_sub(1)?;
    let end = units[last].end();
    if group.whole {
        pieces.push(Piece::Text(&text[end + closed..]));
    } else {
        let head = common(lines, &group.lines, last);
        pieces.push(Piece::Text(&text[end..end + head]));
        pieces.push(Piece::Take(Take { from: last, head, to: None, tail: 0, closes: 0 }));
    }
    Some(pieces)
}

/// How many signs all lines have behind their word `last`.
fn common(lines: &LineWords<'_>, group: &[usize], last: usize) -> usize {
    let rest = |line: usize| {
        let end = lines.units(line).get(last).map_or(0, |unit| unit.end());
        &lines.texts[line].as_bytes()[end..]
    };
    let first = group.first().map_or(&b""[..], |first| rest(*first));
    let signs = first.iter().take_while(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()).count();
    group.iter().fold(signs, |most, &line| {
        first.iter().zip(rest(line)).take(most).take_while(|(one, other)| one == other).count()
    })
}

/// The last of the words that make one value with the word at `at`, since they differ too and only signs part them.
fn joined(shared: &[Shared<'_>], at: usize) -> usize {
    let joins = |last: &usize| {
        let (word, next) = (&shared[*last], shared.get(*last + 1));
        next.is_some_and(|next| {
            !next.same && word.tail == 0 && next.head == 0 && !next.space.contains([' ', '\t'])
        })
    };
    let mut last = at;
    while joins(&last) {
        last += 1;
    }
    last
}

/// True when `value` opens one bracket more than it closes and `rest` begins with what closes it.
fn closes(value: &str, rest: &str) -> bool {
    [['(', ')'], ['[', ']'], ['{', '}']].into_iter().any(|[open, close]| {
        rest.starts_with(close) && value.matches(open).count() == value.matches(close).count() + 1
    })
}

/// What the lines share, word by word; `None` when their words are not where they seemed to be.
fn shared<'a>(lines: &LineWords<'a>, group: &AlikeLines) -> Option<Vec<Shared<'a>>> {
    let (first, others) = group.lines.split_first()?;
    let text = lines.texts[*first];
    let mut shared: Vec<_> =
        lines.units(*first).iter().take(group.depth).map(|unit| Shared::new(*unit, text)).collect();
    for &line in others {
        let (text, units) = (lines.texts[line], lines.units(line));
        for (index, word) in shared.iter_mut().enumerate() {
            let unit = units.get(index).filter(|unit| unit.space(text) == word.space)?;
            word.add(unit.text(text));
        }
    }
    shared.iter_mut().filter(|word| !word.same).for_each(Shared::trim);
    Some(shared)
}

impl<'a> Shared<'a> {
    fn new(unit: Unit, line: &'a str) -> Self {
        let first = unit.text(line);
        Self { first, space: unit.space(line), head: first.len(), tail: first.len(), same: true }
    }

    /// Narrows what is shared to what `word` has too.
    fn add(&mut self, word: &str) {
        if word == self.first {
            return;
        }
        let (mine, other) = (self.first.as_bytes(), word.as_bytes());
        let head = mine.iter().zip(other).take(self.head).take_while(|(one, two)| one == two).count();
        let room = (mine.len().min(other.len()) - head).min(self.tail);
        let tail =
            mine.iter().rev().zip(other.iter().rev()).take(room).take_while(|(one, two)| one == two).count();
        (self.head, self.tail, self.same) = (head, tail, false);
    }

    /// Cuts what is shared where a name, a number or a time would be cut in two.
    fn trim(&mut self) {
        let bytes = self.first.as_bytes();
        while self.head > 0 && is_inner(bytes, self.head - 1) {
            self.head -= 1;
        }
        let path = bytes[..self.head].iter().rev().take_while(|byte| is_path(**byte)).count();
        if self.head > 0 && bytes[self.head - 1] == b'/' && path < MIN_PATH {
            self.head -= path;
        }
        while self.tail > 0 && is_inner(bytes, bytes.len() - self.tail) {
            self.tail -= 1;
        }
        self.tail = self.tail.min(bytes.len() - self.head);
    }
}

/// True when the byte at `at` belongs to what stands beside it: a letter, a digit, or a sign between digits.
fn is_inner(bytes: &[u8], at: usize) -> bool {
    let byte = bytes[at];
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'.' | b'_' | b'%' | b'\\')
        || (matches!(byte, b':' | b',' | b'-' | b'+') && at > 0 && digit(at - 1) && digit(at + 1))
}

fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape of twelve lines, and the values of the first.
    fn check(line: impl Fn(usize) -> String, shape: &str, values: &[&str]) {
        let texts: Vec<String> = (10..22).map(line).collect();
        let lines = LineWords::new(texts.iter().map(String::as_str).collect()).unwrap();
        let group = AlikeLines { lines: (0..12).collect(), depth: lines.units(0).len(), whole: true };
        let mold = Mold::of(&lines, group).unwrap();
        assert_eq!(mold.shape.print(BRACKETS[0]), format!(": {shape}"));
        assert_eq!(mold.take(&lines, 0).as_deref(), Some(values));
    }

    #[test]
    fn values_are_cut_where_names_and_numbers_end() {
        check(
            |n| format!("sshd[{n}]: Accepted publickey for root from 10.0.2.2 port 52{n} ssh2"),
            "sshd[{1}]: Accepted publickey for root from 10.0.2.2 port {2} ssh2",
            &["10", "5210"],
        );
        check(
            |n| format!("type=CWD at=12:04:{n} cwd=\"/h/a {n}\" and the rest"),
            "type=CWD at={1} cwd=\"/h/a {2}\" and the rest",
            &["12:04:10", "10"],
        );
    }

    #[test]
    fn words_with_only_signs_between_are_one_value_and_keep_their_bracket() {
        check(
            |n| format!("packages/agent/src/a{n}.ts(5,{n}): note: seen before"),
            "packages/agent/src/{1}(5,{2}): note: seen before",
            &["a10.ts", "10"],
        );
        check(
            |n| format!("at com.shop.M{n}(M{n}.java:{n}) there"),
            "at {1} there",
            &["com.shop.M10(M10.java:10)"],
        );
    }

    #[test]
    fn a_value_that_stands_twice_is_taken_once() {
        check(
            |n| format!("agent[{n}]: started as process {n} of the group"),
            "agent[{1}]: started as process {1} of the group",
            &["10"],
        );
    }

    #[test]
    fn a_value_that_most_lines_have_gets_a_shape_of_its_own() {
        let browser = |n: usize| {
            if n.is_multiple_of(5) { "Opera Mini" } else { "Mozilla/5.0 (X11; Linux x86_64) Gecko" }
        };
        let texts: Vec<String> = (0..60).map(|n| format!("GET /shelf/{n} 200 \"{}\"", browser(n))).collect();
        let lines = LineWords::new(texts.iter().map(String::as_str).collect()).unwrap();
        let group = AlikeLines { lines: (0..60).collect(), depth: 4, whole: true };
        let parted = Mold::of(&lines, group).unwrap().parted(&lines).unwrap();
        assert_eq!(parted.map(|mold| mold.group.lines.len()), [48, 12]);
    }
}

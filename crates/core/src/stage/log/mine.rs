//! Finds the shapes of a log: lines with the same words at the same places, whose other words differ.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::name::names;
use super::shape::{Part, Shape};
use super::weigh::weigh;
use super::word::{Rest, Word, words};

/// A shape, and how its values are taken from a line.
#[derive(Debug, Default)]
pub(super) struct Mold {
    pub(super) shape: Shape,
    takes: Vec<Take>,
    gain: usize,
}

/// Where a value stands in a line: a word without its beginning and end.
#[derive(Debug, Clone, Copy)]
struct Take {
    word: usize,
    head: usize,
    tail: usize,
}

/// The shapes of a text, and for each line which it may have.
pub(super) struct Mined {
    pub(super) molds: Vec<Mold>,
    pub(super) of: Vec<Option<usize>>,
}

/// Lines of one shape; with fewer it is not worth a line of its own.
const MIN_LINES: usize = 3;

/// A word that stands in fewer lines than this may be a value.
const MIN_COUNT: usize = 4;

/// Longer lines are left alone.
const MAX_LINE: usize = 4096;

/// More shapes are more than a reader keeps in mind.
const MAX_SHAPES: usize = 24;

/// What a shape must save: this weight, and of the bytes of all lines one in so many.
const MIN_GAIN: usize = 16;
const MIN_SHARE: usize = 600;

/// A beginning of a path that is shorter than this stays with the path.
const MIN_PATH: usize = 8;

/// Finds the shapes of `lines` that are worth most.
pub(super) fn mine(lines: &[&str]) -> Mined {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<u64, usize> = HashMap::new();
    let counts = counts(lines);
    for (index, line) in lines.iter().enumerate() {
        if line.is_empty() || line.len() > MAX_LINE {
            continue;
        }
        let group = *known.entry(mask(line, &counts)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(index);
    }
    let least = MIN_GAIN.max(lines.iter().map(|line| line.len()).sum::<usize>() / MIN_SHARE);
    let mut molds: Vec<(Mold, Vec<usize>)> = groups
        .into_iter()
        .filter(|group| group.len() >= MIN_LINES)
        .filter_map(|group| Some((mold(lines, &group)?, group)))
        .filter(|(mold, _)| mold.gain >= least)
        .collect();
    molds.sort_by_key(|(mold, _)| std::cmp::Reverse(mold.gain));
    molds.truncate(MAX_SHAPES);
    named(molds, lines.len())
}

/// The shapes that can be told apart by name.
fn named(molds: Vec<(Mold, Vec<usize>)>, lines: usize) -> Mined {
    let shapes: Vec<_> = molds.iter().map(|(mold, _)| &mold.shape).collect();
    let names = names(&shapes);
    let mut mined = Mined { molds: Vec::new(), of: vec![None; lines] };
    for ((mut mold, group), name) in molds.into_iter().zip(names) {
        let Some(name) = name else { continue };
        mold.shape.name = name;
        for line in group {
            mined.of[line] = Some(mined.molds.len());
        }
        mined.molds.push(mold);
    }
    mined
}

/// How often each word that looks like no value stands in the lines.
fn counts<'a>(lines: &[&'a str]) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for word in lines.iter().filter(|line| line.len() <= MAX_LINE).flat_map(|line| words(line)) {
        if let (stem, Rest::None) = word.stem() {
            *counts.entry(stem).or_default() += 1;
        }
    }
    counts
}

/// A number that is the same for lines that may have one shape.
fn mask(line: &str, counts: &HashMap<&str, usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in words(line) {
        let (stem, rest) = word.stem();
        let rare = rest == Rest::None && counts.get(stem).is_none_or(|&count| count < MIN_COUNT);
        word.space.hash(&mut hasher);
        if rare { "" } else { stem }.hash(&mut hasher);
        (rare || rest == Rest::Free).hash(&mut hasher);
    }
    hasher.finish()
}

/// What the words of a group of lines share at one place.
struct Column<'a> {
    first: Word<'a>,
    head: usize,
    tail: usize,
    same: bool,
    /// The same for columns with the same values.
    values: DefaultHasher,
}

/// The shape of a group of lines; `None` when it saves nothing.
fn mold(lines: &[&str], group: &[usize]) -> Option<Mold> {
    let mut mold = Mold::default();
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for (index, column) in columns(lines, group)?.into_iter().enumerate() {
        mold.shape.push(column.first.space);
        let text = column.first.text;
        if column.same {
            mold.shape.push(text);
            continue;
        }
        let take = Take { word: index, head: column.head, tail: column.tail };
        mold.shape.push(&text[..take.head]);
        let next = mold.takes.len();
        let place = *seen.entry(column.values.finish()).or_insert(next);
        if place == next {
            mold.takes.push(take);
        }
        mold.shape.parts.push(Part::Place(place));
        mold.shape.push(&text[text.len() - take.tail..]);
    }
    mold.shape.places = mold.takes.len();
    mold.weigh(lines, group);
    let open = mold.shape.text().any(|text| {
        text.contains('{') && Shape::parse(&format!("x: {text}")).is_none_or(|shape| shape.places > 0)
    });
    (!open).then_some(mold)
}

/// What the lines share, word by word; `None` when they have not the same number of words after all.
fn columns<'a>(lines: &[&'a str], group: &[usize]) -> Option<Vec<Column<'a>>> {
    let (first, others) = group.split_first()?;
    let mut columns: Vec<_> = words(lines[*first]).map(Column::new).collect();
    for &line in others {
        let mut words = words(lines[line]);
        for column in &mut columns {
            column.add(words.next()?);
        }
        if words.next().is_some() {
            return None;
        }
    }
    columns.iter_mut().for_each(Column::trim);
    for &line in group {
        columns.iter_mut().zip(words(lines[line])).for_each(|(column, word)| column.value(word));
    }
    Some(columns)
}

impl<'a> Column<'a> {
    fn new(first: Word<'a>) -> Self {
        let length = first.text.len();
        Self { first, head: length, tail: length, same: true, values: DefaultHasher::new() }
    }

    /// Narrows what is shared to what `word` has too.
    fn add(&mut self, word: Word<'a>) {
        if word.text == self.first.text {
            return;
        }
        let (mine, other) = (self.first.text.as_bytes(), word.text.as_bytes());
        let head = mine.iter().zip(other).take_while(|(one, two)| one == two).count();
        let room = mine.len().min(other.len()) - head;
        let tail =
            mine.iter().rev().zip(other.iter().rev()).take(room).take_while(|(one, two)| one == two).count();
        self.head = self.head.min(head);
        self.tail = self.tail.min(tail);
        self.same = false;
    }

    /// Cuts what is shared where a name, a number, a time or a pair of brackets would be cut in two.
    fn trim(&mut self) {
        let bytes = self.first.text.as_bytes();
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
        self.pair(bytes);
    }

    /// Leaves a bracket in the value when its other half is there.
    fn pair(&mut self, bytes: &[u8]) {
        let value = &self.first.text[self.head..bytes.len() - self.tail];
        let torn = |one: u8, other: u8| {
            let count = |sign: u8| value.matches(char::from(sign)).count();
            count(one) > count(other)
        };
        let open = bytes[..self.head].last().copied();
        let close = bytes[bytes.len() - self.tail..].first().copied();
        for (one, other) in [(b'(', b')'), (b'[', b']'), (b'{', b'}')] {
            if open == Some(one) && torn(other, one) {
                self.head -= 1;
            }
            if close == Some(other) && torn(one, other) {
                self.tail -= 1;
            }
        }
    }

    fn value(&mut self, word: Word<'_>) {
        word.text.get(self.head..word.text.len().saturating_sub(self.tail)).hash(&mut self.values);
    }
}

/// True when the byte at `at` belongs to what stands beside it: a letter, a digit, or a sign between digits.
fn is_inner(bytes: &[u8], at: usize) -> bool {
    let byte = bytes[at];
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'.' | b'_')
        || (matches!(byte, b':' | b',' | b'-' | b'+') && at > 0 && digit(at - 1) && digit(at + 1))
}

fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'~')
}

impl Mold {
    /// The values of `line`, if it has this shape.
    pub(super) fn take<'a>(&self, line: &'a str) -> Option<Vec<&'a str>> {
        let words: Vec<_> = words(line).collect();
        let value = |take: &Take| {
            let text = words.get(take.word)?.text;
            text.get(take.head..text.len().checked_sub(take.tail)?)
        };
        let values: Vec<_> = self.takes.iter().map(value).collect::<Option<_>>()?;
        let mut back = String::with_capacity(line.len());
        self.shape.fill(&mut back, &values);
        (back == line).then_some(values)
    }

    /// Estimates what the shape saves, by some of its lines.
    fn weigh(&mut self, lines: &[&str], group: &[usize]) {
        let step = group.len().div_ceil(16);
        let (mut before, mut after, mut count) = (0, 0, 0);
        for &line in group.iter().step_by(step) {
            let Some(values) = self.take(lines[line]) else { continue };
            before += weigh(lines[line]);
            after += weigh(&values.join(",")) + 2;
            count += 1;
        }
        let saved = before.saturating_sub(after) * group.len() / count.max(1);
        self.gain = saved.saturating_sub(weigh(&self.shape.print()) + 3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one shape of twelve lines, and the values of the first.
    fn check(line: impl Fn(usize) -> String, shape: &str, values: &[&str]) {
        let lines: Vec<String> = (10..22).map(line).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mined = mine(&lines);
        assert_eq!(mined.molds.len(), 1, "{shape}");
        assert_eq!(mined.molds[0].shape.print(), shape);
        assert_eq!(mined.molds[0].take(lines[0]).as_deref(), Some(values));
        assert_eq!(mined.of, vec![Some(0); 12]);
    }

    #[test]
    fn values_are_cut_where_names_and_numbers_end() {
        check(
            |n| format!("sshd[{n}]: Accepted publickey for root from 10.0.2.2 port 52{n} ssh2"),
            "sshd: sshd[{1}]: Accepted publickey for root from 10.0.2.2 port {2} ssh2",
            &["10", "5210"],
        );
        check(
            |n| format!("packages/agent/src/a{n}.ts(5,{n}): error TS2307: Cannot find module 'm{n}' here"),
            "error: packages/agent/src/{1}: error TS2307: Cannot find module '{2}' here",
            &["a10.ts(5,10)", "m10"],
        );
        check(
            |n| format!("type=CWD at=12:04:{n} cwd=\"/h/a {n}\" and the rest of it"),
            "type=CWD: type=CWD at={1} cwd=\"/h/a {2}\" and the rest of it",
            &["12:04:10", "10"],
        );
    }

    #[test]
    fn a_value_that_stands_twice_is_taken_once() {
        check(
            |n| format!("agent[{n}]: started as process {n} of the group"),
            "agent: agent[{1}]: started as process {1} of the group",
            &["10"],
        );
    }

    #[test]
    fn lines_without_a_shape_have_none() {
        for lines in [vec![], vec![""; 9], vec!["a b c", "d e", "f"], vec!["{1} {2}"; 2]] {
            assert!(mine(&lines).molds.is_empty(), "{lines:?}");
        }
    }
}

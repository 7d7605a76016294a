//! Prepares a text for the search: finds its lines, and the cost of each part.

use memchr::{memchr_iter, memchr2};

use crate::form::general::cost::{Cost, Costs};
use crate::form::general::index::WordIndex;
use crate::form::general::span::Span;

/// A text that has been scanned once.
pub(super) struct ReadText<'a> {
    pub(super) text: &'a str,
    pub(super) costs: Costs,
    /// The lines, without their line ends.
    pub(super) lines: Vec<Span>,
    pub(super) words: WordIndex,
    /// True when there are quotes or tags, of which a value may contain only half.
    pub(super) has_pairs: bool,
    /// For each line, whether it has a time of its own near its beginning.
    pub(super) timed: Vec<bool>,
}

impl<'a> ReadText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut start = 0;
        let ends = memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
        let lines: Vec<Span> =
            ends.map(|end| Span::new(std::mem::replace(&mut start, end + 1), end)).collect();
        let words = WordIndex::read(text, &lines);
        let timed = lines.iter().map(|line| has_time(line.of(text).as_bytes())).collect();
        let has_pairs = memchr2(b'"', b'<', text.as_bytes()).is_some();
        Self { text, has_pairs, costs: Costs::of(text), lines, words, timed }
    }

    pub(super) fn line(&self, line: u32) -> &'a str {
        &self.text[self.lines[line as usize].from()..self.lines[line as usize].to()]
    }

    /// The cost of `height` lines that start with `first`, including their line ends.
    pub(super) fn cost_of_lines(&self, first: u32, height: usize) -> Cost {
        let from = self.lines[first as usize];
        let to = self.lines[first as usize + height - 1];
        self.costs.line(Span { start: from.start, end: to.end })
    }
}

/// True when a line has a time of day or a date near its beginning.
fn has_time(line: &[u8]) -> bool {
    let line = &line[..line.len().min(60)];
    let fits = |from: Option<usize>, shape: &[u8]| {
        let window = from.and_then(|from| line.get(from..from + shape.len()));
        window.is_some_and(|window| {
            let mut pairs = window.iter().zip(shape);
            pairs.all(|(byte, shape)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape })
        })
    };
    line.iter().enumerate().any(|(at, byte)| match byte {
        b':' => fits(at.checked_sub(2), b"00:00:00"),
        b'-' => fits(at.checked_sub(4), b"0000-00-00"),
        _ => false,
    })
}

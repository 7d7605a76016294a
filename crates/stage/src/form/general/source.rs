//! A text as the search sees it: its lines, and what each part costs.

use crate::form::general::cost::{Cost, Costs};
use crate::form::general::span::Span;

/// A text, read once.
pub(super) struct ReadText<'a> {
    pub(super) text: &'a str,
    pub(super) costs: Costs,
    /// Without their ends.
    pub(super) lines: Vec<Span>,
}

impl<'a> ReadText<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut start = 0;
        let ends = text.match_indices('\n').map(|(at, _)| at).chain([text.len()]);
        let lines = ends.map(|end| Span::new(std::mem::replace(&mut start, end + 1), end)).collect();
        Self { text, costs: Costs::of(text), lines }
    }

    pub(super) fn line(&self, line: u32) -> &'a str {
        &self.text[self.lines[line as usize].from()..self.lines[line as usize].to()]
    }

    /// What lines from one on cost, with their ends.
    pub(super) fn cost_of_lines(&self, first: u32, height: usize) -> Cost {
        let from = self.lines[first as usize];
        let to = self.lines[first as usize + height - 1];
        self.costs.line(Span { start: from.start, end: to.end })
    }
}

/// True when a line has a time of day or a date near its beginning.
pub(super) fn has_time(line: &str) -> bool {
    let bytes = &line.as_bytes()[..line.len().min(60)];
    let fits = |window: &[u8], shape: &[u8]| {
        window.iter().zip(shape).all(
            |(byte, shape)| {
                if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape }
            },
        )
    };
    bytes.windows(8).any(|window| fits(window, b"00:00:00"))
        || bytes.windows(10).any(|window| fits(window, b"0000-00-00"))
}

//! Defines templates: the text that similar lines or groups of lines share, with holes, and a row of values for each.

use crate::form::general::alarm::is_level;
use crate::form::general::cost::{Cost, TOKEN};
use crate::form::general::part::{Pad, Part};
use crate::form::general::source::ReadText;
use crate::form::general::span::Span;

/// The text that all rows share, and the values of each row.
#[derive(Debug, Clone)]
pub(super) struct LineTemplate {
    pub(super) parts: Vec<LinePart>,
    /// The values of each hole, row by row.
    pub(super) columns: Vec<Vec<Span>>,
    /// For each row, the number of its first line.
    pub(super) rows: Vec<u32>,
    /// The number of lines in a row.
    pub(super) height: usize,
    /// The saving, after all costs are subtracted.
    pub(super) gain: Cost,
}

/// A part of a template.
#[derive(Debug, Clone, Copy)]
pub(super) enum LinePart {
    /// Text that all rows share, located in the first row.
    Same(Span),
    /// A hole, given by its index, that each row fills with a value.
    Hole(usize, Option<Pad>),
}

/// The cost to a reader of one more template.
pub(super) const TEMPLATE_COST: Cost = 20 * TOKEN;

/// The maximum number of holes in a template with scattered rows, and in any template.
const MAX_HOLES: usize = 14;
const MAX_COLUMNS: usize = 40;

/// The minimum number of rows in a run; fewer adjacent rows are written with the template's name on each.
pub(super) const MIN_RUN_ROWS: usize = 4;

/// A repeated value is written out again after this many rows.
pub(super) const RESTATE_AFTER_ROWS: usize = 5;

/// A value that costs no more than this is always written out.
pub(super) const SHORT_VALUE_COST: Cost = 2 * TOKEN;

/// The rows by which a template is judged.
pub(super) struct Rows<'r> {
    /// All rows of the template.
    pub(super) all: &'r [u32],
    /// The rows whose cells are inspected.
    pub(super) seen: &'r [u32],
    pub(super) height: usize,
}

/// The cost of writing the rows as values.
struct Weight {
    /// The number of runs of adjacent rows.
    runs: usize,
    cost: Cost,
    total: Cost,
}

impl LineTemplate {
    /// The template of rows that consist of these parts, if it is readable and worth its cost.
    pub(super) fn new(source: &ReadText<'_>, parts: Vec<Part>, rows: &Rows<'_>) -> Option<Self> {
        let total = rows.all.iter().map(|row| source.cost_of_lines(*row, rows.height)).sum();
        Self::with_cost(source, parts, rows, total)
    }

    /// Like `new`, for rows that cost `total` when they are written without this template.
    pub(super) fn with_cost(
        source: &ReadText<'_>,
        parts: Vec<Part>,
        rows: &Rows<'_>,
        total: Cost,
    ) -> Option<Self> {
        let (parts, columns) = holes(source.text, parts);
        let is_bare = matches!(parts[..], [LinePart::Hole(..)]);
        if is_bare || columns.len() > MAX_COLUMNS || !columns.iter().all(|cells| reads_well(source, cells)) {
            return None;
        }
        let mut template = Self { parts, columns, rows: rows.all.to_vec(), height: rows.height, gain: 0 };
        let weight = template.weight(source, rows, total);
        template.gain = weight.total - weight.cost - template.definition(source) - TEMPLATE_COST;
        template.is_worth(&weight).then_some(template)
    }

    /// The cost of the rows when they are written as values.
    fn weight(&self, source: &ReadText<'_>, rows: &Rows<'_>, total: Cost) -> Weight {
        let (count, seen) = (rows.all.len() as Cost, rows.seen.len() as Cost);
        let follows = follows(rows.seen, rows.height);
        let values: Cost = self.columns.iter().map(|cells| column_cost(source, cells, &follows)).sum();
        let between = (self.columns.len() as Cost - 1).max(0) * TOKEN * 9 / 10;
        let runs = self.runs();
        let names = if self.columns.is_empty() {
            (count.min(3 * runs as Cost)) * TOKEN * 3 / 2
        } else {
            (count * TOKEN * 19 / 10).min(runs as Cost * 5 * TOKEN)
        };
        let cost = values * count / seen + count * (between + TOKEN) + names;
        Weight { runs, cost, total }
    }

    /// The cost of the template's definition.
    fn definition(&self, source: &ReadText<'_>) -> Cost {
        let part = |part: &LinePart| match part {
            LinePart::Same(span) => source.costs.cost(*span),
            LinePart::Hole(..) => 3 * TOKEN,
        };
        self.parts.iter().map(part).sum::<Cost>() + (3 * self.columns.len() as Cost + 5) * TOKEN
    }

    /// True when the rows save enough to make up for looking up the template.
    fn is_worth(&self, weight: &Weight) -> bool {
        if self.columns.is_empty() {
            return true;
        }
        let count = self.rows.len();
        let is_table = count >= MIN_RUN_ROWS && weight.runs * 3 <= count;
        let (saved, count) = (weight.total - weight.cost, count as Cost);
        if is_table {
            saved * 2 >= count * TOKEN && saved * 100 >= weight.total * 3
        } else {
            self.columns.len() <= MAX_HOLES && saved >= count * 2 * TOKEN && saved * 100 >= weight.total * 12
        }
    }

    /// The number of runs of adjacent rows.
    pub(super) fn runs(&self) -> usize {
        1 + self.rows.windows(2).filter(|pair| pair[1] as usize != pair[0] as usize + self.height).count()
    }

    /// The text that all rows share, with a NUL in place of each hole.
    pub(super) fn same_text(&self, text: &str) -> String {
        let part = |part: &LinePart| match part {
            LinePart::Same(span) => span.of(text).to_owned(),
            LinePart::Hole(..) => "\u{0}".to_owned(),
        };
        self.parts.iter().map(part).collect()
    }
}

/// Numbers the holes of parts. Identical columns share a hole.
fn holes(text: &str, parts: Vec<Part>) -> (Vec<LinePart>, Vec<Vec<Span>>) {
    let mut columns: Vec<Vec<Span>> = Vec::new();
    let mut out = Vec::with_capacity(parts.len());
    for part in parts {
        let (cells, pad) = match part {
            Part::Same(span) => {
                out.push(LinePart::Same(span));
                continue;
            }
            Part::Cells(cells, pad) => (cells, pad),
        };
        let twin = |column: &Vec<Span>| {
            column.iter().zip(&cells).all(|(one, two)| one.bytes(text) == two.bytes(text))
        };
        let hole = columns.iter().position(twin).unwrap_or(columns.len());
        if hole == columns.len() {
            columns.push(cells);
        }
        out.push(LinePart::Hole(hole, pad));
    }
    (out, columns)
}

/// True when cells are readable values: none is blank, and hardly any contains an unmatched quote or half of a tag.
fn reads_well(source: &ReadText<'_>, cells: &[Span]) -> bool {
    let text = source.text;
    // A value that begins with a sign of ASCII other than a blank needs no closer look.
    let is_blank = |cell: &Span| {
        let first = cell.bytes(text).first();
        first.is_some_and(|first| !first.is_ascii_graphic()) && cell.of(text).trim().is_empty()
    };
    let halves = || cells.iter().filter(|cell| is_half(cell.bytes(text))).count();
    !cells.iter().any(is_blank) && (!source.has_pairs || halves() * 10 <= cells.len())
}

/// True when quotes in a value do not match, or a tag is not closed.
fn is_half(bytes: &[u8]) -> bool {
    if !bytes.iter().any(|byte| matches!(byte, b'"' | b'<')) {
        return false;
    }
    let (mut quotes, mut escaped, mut open, mut closed) = (0, 0, 0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' if at > 0 && bytes[at - 1] == b'\\' => escaped += 1,
            b'"' => quotes += 1,
            b'<' if bytes
                .get(at + 1)
                .is_some_and(|next| next.is_ascii_alphabetic() || b"/!?".contains(next)) =>
            {
                open += 1;
            }
            b'>' => closed += 1,
            _ => {}
        }
    }
    quotes % 2 == 1 || escaped % 2 == 1 || open > closed
}

/// For each row, whether it continues a run of adjacent rows that is long enough to be written as one.
pub(super) fn follows(rows: &[u32], height: usize) -> Vec<bool> {
    let mut follows = vec![false; rows.len()];
    let mut start = 0;
    while start < rows.len() {
        let mut end = start + 1;
        while end < rows.len() && rows[end] as usize == rows[end - 1] as usize + height {
            end += 1;
        }
        if end - start >= MIN_RUN_ROWS {
            follows[start + 1..end].fill(true);
        }
        start = end;
    }
    follows
}

/// The cost of a column's values, with ditto signs for repeated values.
fn column_cost(source: &ReadText<'_>, cells: &[Span], follows: &[bool]) -> Cost {
    let (mut sum, mut before, mut age): (_, &[u8], _) = (0, &[], 0);
    for (cell, follows) in cells.iter().zip(follows) {
        let (value, cost) = (cell.bytes(source.text), source.costs.cost(*cell));
        let is_again = *follows && age + 1 < RESTATE_AFTER_ROWS && value == before;
        let is_again = is_again && is_dittoed(cell.of(source.text), cost);
        (age, sum) = if is_again { (age + 1, sum + TOKEN) } else { (0, sum + cost) };
        before = value;
    }
    sum
}

/// True when a ditto sign may replace a repeated value.
pub(super) fn is_dittoed(value: &str, cost: Cost) -> bool {
    cost > SHORT_VALUE_COST && !value.split(|letter: char| !letter.is_alphanumeric()).any(is_level)
}

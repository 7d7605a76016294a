//! Finds groups of lines that recur together, and turns each group into a row of a template with several lines.
//!
//! A block consists of whole records, whose limits are judged by indentation, blank lines, closing brackets and times.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _};

use crate::form::general::column;
use crate::form::general::cost::{Cost, TOKEN};
use crate::form::general::part::Part;
use crate::form::general::select::{Bounds, Rules, Selection, choose};
use crate::form::general::source::ReadText;
use crate::form::general::span::Span;
use crate::form::general::template::{LinePart, LineTemplate, Rows};

/// The maximum number of lines, and of holes, in a block.
const MAX_LINES: usize = 60;
const MAX_HOLES: u32 = 14;

/// The maximum number of blocks in a text.
const MAX_BLOCKS: usize = 40;

/// The minimum saving of a block.
const MIN_GAIN: Cost = 12 * TOKEN;

/// A unique line of more bytes than this cannot be a value.
const MAX_FREE_BYTES: usize = 400;

/// The costs of a template's row, of a row without values, and of a unique line.
const ROW_COST: Cost = 3 * TOKEN;
const BARE_ROW_COST: Cost = 2 * TOKEN;
const FREE_LINE_COST: Cost = TOKEN / 5;

/// The minimum saving of a template after blocks have taken some of its rows.
const MIN_REMAINING_GAIN: Cost = 2 * TOKEN;

/// Finds the blocks of a text whose lines have these templates. Returns the blocks, and the templates of other lines.
pub(super) fn arrange(source: &ReadText<'_>, templates: Vec<LineTemplate>) -> Vec<LineTemplate> {
    let board = Board::new(source, &templates);
    let chosen = choose(&board.symbols, &board, &Bounds { max_count: MAX_BLOCKS, min_gain: MIN_GAIN });
    let mut blocks: Vec<_> = chosen.iter().filter_map(|chosen| board.template(chosen)).collect();
    let mut taken = vec![false; source.lines.len()];
    for block in &blocks {
        for row in &block.rows {
            taken[*row as usize..*row as usize + block.height].fill(true);
        }
    }
    if blocks.is_empty() {
        return templates;
    }
    let left = templates.iter().filter_map(|template| board.remainder(template, &taken)).collect::<Vec<_>>();
    blocks.extend(left);
    blocks
}

/// The role that a line has in blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind<'a> {
    /// A row of a template.
    Row(usize),
    /// A line without a template that is empty or also occurs elsewhere in the text.
    Literal(&'a str),
    /// A unique line, which can become a value.
    Free,
    /// A unique line that cannot become a value.
    Alone(usize),
}

struct Board<'s, 'a> {
    source: &'s ReadText<'a>,
    templates: &'s [LineTemplate],
    kinds: Vec<Kind<'a>>,
    symbols: Vec<u32>,
    /// For each line that is a row, its index among the rows of its template.
    places: Vec<u32>,
    /// For each line, the total cost of the lines above it.
    costs: Vec<Cost>,
    /// For each line, the total number of holes in the lines above it.
    holes: Vec<u32>,
    records: Vec<Record>,
}

/// The position of a line within its record.
#[derive(Clone, Copy, Default)]
struct Record {
    /// Twice the indentation, plus one if the line has no time in a text with times.
    depth: u32,
    closes: bool,
    is_blank: bool,
    /// The total number of blank lines above this line.
    blanks: u32,
    /// The last line, up to this one, that is not blank.
    last_text: u32,
}

impl<'s, 'a> Board<'s, 'a> {
    fn new(source: &'s ReadText<'a>, templates: &'s [LineTemplate]) -> Self {
        let mut kinds: Vec<Option<Kind<'a>>> = vec![None; source.lines.len()];
        let mut places = vec![0; source.lines.len()];
        for (number, template) in templates.iter().enumerate() {
            for (place, row) in (0..).zip(&template.rows) {
                kinds[*row as usize] = Some(Kind::Row(number));
                places[*row as usize] = place;
            }
        }
        let kinds = literal_kinds(source, kinds);
        let mut numbers = HashMap::new();
        let symbol = |kind: &Kind<'a>| {
            let next = numbers.len() as u32;
            *numbers.entry(*kind).or_insert(next)
        };
        let symbols = kinds.iter().map(symbol).collect();
        let holes = |kind: &Kind<'a>| match kind {
            Kind::Row(number) => templates[*number].columns.len() as u32,
            Kind::Free => 1,
            _ => 0,
        };
        let cost = |(kind, line): (&Kind<'a>, &Span)| match kind {
            Kind::Row(number) if templates[*number].columns.is_empty() => BARE_ROW_COST,
            Kind::Row(_) => ROW_COST,
            Kind::Literal(_) => source.costs.line(*line),
            Kind::Free => FREE_LINE_COST,
            Kind::Alone(_) => 0,
        };
        let costs = sums(kinds.iter().zip(&source.lines).map(cost));
        let holes = sums(kinds.iter().map(holes));
        Self { source, templates, symbols, places, costs, holes, records: records(source), kinds }
    }

    /// The template whose rows are the occurrences of a block.
    fn template(&self, chosen: &Selection) -> Option<LineTemplate> {
        let mut parts = Vec::new();
        for line in 0..chosen.length {
            if line > 0 {
                let end = self.source.lines[chosen.places[0] + line - 1].to();
                column::put_same(&mut parts, Span::new(end, end + 1));
            }
            self.put_line(chosen, line, &mut parts);
        }
        let total = chosen.places.iter().map(|place| self.written_cost(*place..place + chosen.length)).sum();
        let rows: Vec<u32> = chosen.places.iter().map(|place| *place as u32).collect();
        let rows = Rows { all: &rows, seen: &rows, height: chosen.length };
        let template = LineTemplate::with_cost(self.source, parts, &rows, total)?;
        (template.gain * 2 >= MIN_GAIN && template.gain * 100 >= total * 15).then_some(template)
    }

    /// The template without the rows that blocks have taken, if it still saves enough.
    fn remainder(&self, template: &LineTemplate, taken: &[bool]) -> Option<LineTemplate> {
        let rows: Vec<u32> = template.rows.iter().copied().filter(|row| !taken[*row as usize]).collect();
        if rows.len() == template.rows.len() {
            return Some(template.clone());
        }
        if rows.len() < 2 {
            return None;
        }
        let places = rows.iter().map(|row| *row as usize).collect();
        let mut parts = Vec::new();
        self.put_line(&Selection { length: 1, places }, 0, &mut parts);
        let left = LineTemplate::new(self.source, parts, &Rows { all: &rows, seen: &rows, height: 1 })?;
        (left.gain > MIN_REMAINING_GAIN).then_some(left)
    }

    /// Appends one line of a block to the block's parts.
    fn put_line(&self, chosen: &Selection, line: usize, parts: &mut Vec<Part>) {
        let first = chosen.places[0] + line;
        let span = self.source.lines[first];
        let Kind::Row(number) = self.kinds[first] else {
            if self.kinds[first] == Kind::Free {
                let cells = chosen.places.iter().map(|place| self.source.lines[place + line]).collect();
                column::refine(self.source.text, cells, parts);
            } else {
                column::put_same(parts, span);
            }
            return;
        };
        let template = &self.templates[number];
        let mut at = span.from();
        for part in &template.parts {
            match part {
                LinePart::Same(same) => {
                    column::put_same(parts, Span::new(at, at + same.len()));
                    at += same.len();
                }
                LinePart::Hole(hole, pad) => {
                    let cell = |place: &usize| template.columns[*hole][self.places[place + line] as usize];
                    let cells: Vec<Span> = chosen.places.iter().map(cell).collect();
                    let own = template.columns[*hole][self.places[first] as usize];
                    match pad {
                        None => {
                            column::refine(self.source.text, cells, parts);
                            at += own.len();
                        }
                        Some(pad) => {
                            parts.push(Part::Cells(cells, Some(*pad)));
                            at += own.len().max(pad.width);
                        }
                    }
                }
            }
        }
    }

    /// The cost of lines when they are written without blocks.
    fn written_cost(&self, lines: Range<usize>) -> Cost {
        let line = |line: usize| match self.kinds[line] {
            Kind::Row(number) => {
                let template = &self.templates[number];
                let place = self.places[line] as usize;
                let values: Cost =
                    template.columns.iter().map(|cells| self.source.costs.cost(cells[place])).sum();
                values + (template.columns.len() as Cost - 1).max(0) * TOKEN * 9 / 10 + ROW_COST
            }
            _ => self.source.costs.line(self.source.lines[line]),
        };
        lines.map(line).sum()
    }

    /// True when the lines consist of whole records.
    fn is_whole(&self, lines: &Range<usize>) -> bool {
        self.reach(lines.clone()) == lines.end && self.ends_whole(lines)
    }

    /// The end of the lines that may belong to the record that starts at the first line: the next line with a smaller
    /// depth.
    fn reach(&self, lines: Range<usize>) -> usize {
        let first = self.records[lines.start];
        if first.closes || first.is_blank {
            return lines.start;
        }
        let depth = |record: &Record| record.depth < first.depth;
        lines.start + self.records[lines.clone()].iter().position(depth).unwrap_or(lines.len())
    }

    /// True when the lines end where a record ends. The caller ensures that no line has a smaller depth than the first.
    fn ends_whole(&self, lines: &Range<usize>) -> bool {
        let first = self.records[lines.start];
        if let Some(next) = self.records.get(lines.end)
            && (next.depth > first.depth || next.depth == first.depth && next.closes)
        {
            return false;
        }
        let last_text = self.records[lines.end - 1].last_text as usize;
        let has_inner_blank = last_text > lines.start && self.records[last_text].blanks > first.blanks;
        if !has_inner_blank {
            return true;
        }
        let is_blank = |line: usize| self.records.get(line).is_none_or(|record| record.is_blank);
        let opens = lines.start == 0 || is_blank(lines.start - 1);
        opens && (is_blank(lines.end - 1) || is_blank(lines.end))
    }

    fn may_bound(&self, line: usize) -> bool {
        !matches!(self.kinds[line], Kind::Free | Kind::Alone(_))
    }

    /// True when a range repeats a shorter range, which is found separately.
    fn is_periodic(&self, lines: &Range<usize>) -> bool {
        let symbols = &self.symbols[lines.clone()];
        (1..=symbols.len() / 2).any(|period| symbols[period..] == symbols[..symbols.len() - period])
    }
}

impl Rules for Board<'_, '_> {
    fn best_part(&self, range: Range<usize>) -> Option<Range<usize>> {
        let mut end = range.end.min(range.start + MAX_LINES);
        while end > range.start && self.holes[end] - self.holes[range.start] > MAX_HOLES {
            end -= 1;
        }
        let mut best: Option<Range<usize>> = None;
        for start in (range.start..end).filter(|start| self.may_bound(*start)) {
            let least = best.as_ref().map_or(0, |best| self.cost(best.clone()));
            let ends = (start + 2..=self.reach(start..end)).rev().map(|end| start..end);
            let mut ends = ends.take_while(|lines| best.is_none() || self.cost(lines.clone()) > least);
            let whole = ends.find(|lines| self.may_bound(lines.end - 1) && self.ends_whole(lines));
            best = whole.or(best);
        }
        best.filter(|lines| !self.is_periodic(lines))
    }

    fn fits(&self, range: Range<usize>) -> bool {
        self.is_whole(&range)
    }

    fn cost(&self, range: Range<usize>) -> Cost {
        self.costs[range.end] - self.costs[range.start]
    }

    fn price(&self, cost: Cost) -> (Cost, Cost) {
        (cost - 3 * TOKEN, cost * 2 + 28 * TOKEN)
    }
}

/// Fills in the kinds of the lines that have no template.
fn literal_kinds<'a>(source: &ReadText<'a>, kinds: Vec<Option<Kind<'a>>>) -> Vec<Kind<'a>> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for (row, kind) in (0..).zip(&kinds) {
        if kind.is_none() {
            *counts.entry(source.line(row)).or_default() += 1;
        }
    }
    let literal = |row: u32| match source.line(row) {
        line if line.is_empty() || counts.get(line).is_some_and(|count| *count > 1) => Kind::Literal(line),
        line if line.len() < MAX_FREE_BYTES => Kind::Free,
        _ => Kind::Alone(row as usize),
    };
    (0..).zip(kinds).map(|(row, kind)| kind.unwrap_or_else(|| literal(row))).collect()
}

fn sums<T: Copy + Default + std::ops::AddAssign>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut sum = T::default();
    let mut sums = vec![sum];
    sums.extend(items.map(|item| {
        sum += item;
        sum
    }));
    sums
}

/// The position of each line within its record. If two lines in five have a time, lines without one are a level deeper.
fn records(source: &ReadText<'_>) -> Vec<Record> {
    let filled: Vec<bool> = source.lines.iter().map(|line| !line.of(source.text).trim().is_empty()).collect();
    let count = |flags: &mut dyn Iterator<Item = bool>| flags.filter(|flag| *flag).count();
    let timed = filled.iter().zip(&source.timed).map(|(filled, timed)| *filled && *timed);
    let is_timed = count(&mut timed.into_iter()) * 5 >= count(&mut filled.iter().copied()) * 2;
    let mut records = vec![Record::default(); source.lines.len()];
    // A blank line belongs to the line below it.
    let mut next = Record::default();
    for (at, record) in records.iter_mut().enumerate().rev() {
        let line = source.lines[at].of(source.text);
        if !filled[at] {
            *record = Record { is_blank: true, ..next };
            continue;
        }
        let bare = line.trim_start_matches([' ', '\t']);
        let depth = (line.len() - bare.len()) as u32 * 2 + u32::from(is_timed && !source.timed[at]);
        let closes = bare.starts_with(['}', ']', ')']) || bare.starts_with("</");
        *record = Record { depth, closes, is_blank: false, ..Record::default() };
        next = *record;
    }
    let (mut blanks, mut last_text) = (0, 0);
    for (at, record) in (0..).zip(&mut records) {
        last_text = if record.is_blank { last_text } else { at };
        (record.blanks, record.last_text) = (blanks, last_text);
        blanks += u32::from(record.is_blank);
    }
    records
}

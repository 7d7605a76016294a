//! Tables whose columns are kept apart by spaces: `kubectl get`, `docker ps`, `df`.

use crate::form::grid::Grid;
use crate::form::table::{Side, borrow, bounded, parse_numbers, push_padded, side, widths};

/// How the columns stand.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Aligned {
    /// Spaces before the first column.
    indent: usize,
    /// Spaces behind each column but the last, beyond its width; one number when all are the same.
    gaps: Vec<usize>,
    /// Columns, counted from 1, that stand on the right.
    right: Vec<usize>,
    end: End,
}

/// What stands behind the last cell of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing.
    Trimmed,
    /// The padding of the columns before it, even where it is empty.
    Open,
    /// Its own padding.
    Padded,
}

const ENDS: [(End, &str); 3] = [(End::Trimmed, "trimmed"), (End::Open, "open"), (End::Padded, "padded")];

/// Wider tables than this are none that anyone reads.
const MAX_COLUMNS: usize = 64;
const MAX_GAP: usize = 256;

/// Lines that must look like a table before all are looked at.
pub(super) const SAMPLE: usize = 64;

impl Aligned {
    /// The table that `lines` are, with its layout; the first line is the header.
    pub(super) fn of<'a>(lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        if lines.len() > SAMPLE {
            Self::fit(&lines[..SAMPLE])?;
        }
        Self::fit(lines)
    }

    fn fit<'a>(lines: &[&'a str]) -> Option<(Self, Grid<'a>)> {
        if lines.iter().any(|line| line.contains(['\t', '\r'])) {
            return None;
        }
        let spans = spans(lines)?;
        let right: Vec<usize> =
            (0..spans.len()).filter(|&at| !lefthand(lines, spans[at])).map(|at| at + 1).collect();
        let grid = grid(lines, &spans, |cell| cell.trim_matches(' '))?;
        let gaps: Vec<usize> = spans.windows(2).map(|pair| pair[1].0 - pair[0].1).collect();
        if !headed(&grid, &gaps) {
            return None;
        }
        let even = gaps.windows(2).all(|pair| pair[0] == pair[1]);
        let gaps = if even { vec![*gaps.first()?] } else { gaps };
        let whole = lines.join("\n");
        let layouts =
            ENDS.map(|(end, _)| Self { indent: spans[0].0, gaps: gaps.clone(), right: right.clone(), end });
        let fits = |layout: &Self, grid: &Grid<'_>| {
            layout.write(grid).is_some_and(|text| text.strip_suffix('\n') == Some(&whole))
        };
        if let Some(layout) = layouts.into_iter().find(|layout| fits(layout, &grid)) {
            return Some((layout, grid));
        }
        // A text in the last column may end with spaces of its own.
        let grid = self::grid(lines, &spans, |cell| cell)?;
        let layout = Self { indent: spans[0].0, gaps, right, end: End::Open };
        fits(&layout, &grid).then_some((layout, grid))
    }

    /// The lines of the table.
    pub(super) fn write(&self, grid: &Grid<'_>) -> Option<String> {
        let widths = widths(grid);
        if !bounded(grid, &widths) || self.indent > MAX_GAP {
            return None;
        }
        let mut out = String::new();
        for row in std::iter::once(&grid.names).chain(&grid.rows) {
            let start = out.len();
            out.extend(std::iter::repeat_n(' ', self.indent));
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let last = at + 1 == row.len();
                let side = side(&self.right, at);
                if last && side == Side::Left && self.end != End::Padded {
                    out.push_str(cell);
                } else {
                    push_padded(&mut out, cell, *width, side);
                }
                if !last {
                    out.extend(std::iter::repeat_n(' ', self.gap(at)?));
                }
            }
            if self.end == End::Trimmed {
                out.truncate(start + out[start..].trim_end_matches(' ').len());
            }
            out.push('\n');
        }
        Some(out)
    }

    fn gap(&self, at: usize) -> Option<usize> {
        let gap = if self.gaps.len() == 1 { self.gaps.first() } else { self.gaps.get(at) };
        gap.copied().filter(|gap| *gap <= MAX_GAP)
    }

    /// Says `gaps 3, right 2 5, indent 2, padded`.
    pub(super) fn note(&self) -> String {
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let mut note = format!("gaps {}", list(&self.gaps));
        if !self.right.is_empty() {
            note = format!("{note}, right {}", list(&self.right));
        }
        if self.indent > 0 {
            note = format!("{note}, indent {}", self.indent);
        }
        let end = ENDS.iter().find(|(end, _)| *end == self.end && *end != End::Trimmed);
        end.map_or(note.clone(), |(_, name)| format!("{note}, {name}"))
    }

    pub(super) fn parse(note: &str) -> Option<Self> {
        let mut aligned = Self { indent: 0, gaps: Vec::new(), right: Vec::new(), end: End::Trimmed };
        for part in note.split(", ") {
            match part.split_once(' ') {
                Some(("gaps", list)) => aligned.gaps = parse_numbers(list)?,
                Some(("right", list)) => aligned.right = parse_numbers(list)?,
                Some(("indent", number)) => aligned.indent = number.parse().ok()?,
                _ => aligned.end = ENDS.iter().find(|(_, name)| *name == part)?.0,
            }
        }
        Some(aligned)
    }
}

/// The cells of all lines; `last` says what becomes of the last of each.
fn grid<'a>(lines: &[&'a str], spans: &[Span], last: fn(&'a str) -> &'a str) -> Option<Grid<'a>> {
    let mut rows = lines.iter().map(|line| {
        let mut cells = cells(line, spans);
        let end = cells.len() - 1;
        cells[end] = last(cells[end]);
        borrow(cells)
    });
    Some(Grid { names: rows.next()?, rows: rows.collect() })
}

/// True when the first line looks like names over columns, and not like the first line of a text.
fn headed(grid: &Grid<'_>, gaps: &[usize]) -> bool {
    let repeated = grid.rows.iter().any(|row| row.iter().zip(&grid.names).any(|(cell, name)| cell == name));
    if repeated {
        return false;
    }
    let wide = gaps.iter().filter(|gap| **gap > 1).count();
    let named = grid.names.iter().filter(|name| name.starts_with(char::is_uppercase)).count();
    (wide * 2 >= gaps.len() && named > 0) || (named > 2 && named * 4 >= grid.names.len() * 3)
}

/// True when some lines leave no column blank between their first and their last, and others stand within these: no
/// lines that hold the former and some of the latter have two columns.
pub(super) fn is_solid(inner: &[&str], outer: &[&str]) -> bool {
    let (inner, outer) = (blots(inner), blots(outer));
    let whole = |span: Span| inner[span.0..span.1].iter().all(|used| *used);
    extent(&inner).is_some_and(|span| extent(&outer) == Some(span) && whole(span))
}

/// From the first column that is used to the last.
fn extent(blots: &[bool]) -> Option<Span> {
    let first = blots.iter().position(|used| *used)?;
    Some((first, blots.iter().rposition(|used| *used)? + 1))
}

/// First character of a column, and the one behind its last.
type Span = (usize, usize);

/// The columns: what no line leaves blank, each with a name and at least one cell.
fn spans(lines: &[&str]) -> Option<Vec<Span>> {
    let body = blots(lines.get(1..)?);
    let head = blots(lines.get(..1)?);
    let used = |mask: &[bool], (from, to): Span| {
        mask.get(from..to.min(mask.len())).is_some_and(|part| part.contains(&true))
    };
    let all: Vec<bool> = (0..body.len().max(head.len()))
        .map(|at| [&body, &head].iter().any(|mask| mask.get(at) == Some(&true)))
        .collect();
    let mut spans: Vec<Span> = Vec::new();
    let mut from = 0;
    while let Some(start) = all[from..].iter().position(|used| *used).map(|at| from + at) {
        let end = all[start..].iter().position(|used| !used).map_or(all.len(), |at| start + at);
        let whole = used(&head, (start, end)) && used(&body, (start, end));
        match spans.last_mut() {
            Some(last) if !whole => last.1 = end,
            _ => spans.push((start, end)),
        }
        from = end;
    }
    (2..=MAX_COLUMNS).contains(&spans.len()).then_some(spans)
}

/// Where any of the lines has something other than a space.
fn blots(lines: &[&str]) -> Vec<bool> {
    let mut blots = Vec::new();
    for line in lines {
        for (at, character) in line.chars().enumerate() {
            if at == blots.len() {
                blots.push(false);
            }
            blots[at] |= character != ' ';
        }
    }
    blots
}

/// The cells of a line, the last with all the spaces that follow it.
fn cells<'a>(line: &'a str, spans: &[Span]) -> Vec<&'a str> {
    let mut places = line.char_indices().map(|(at, _)| at).enumerate().peekable();
    let mut cells = Vec::with_capacity(spans.len());
    for (number, &(from, to)) in spans.iter().enumerate() {
        let mut byte = |wanted: usize| {
            while places.next_if(|(at, _)| *at < wanted).is_some() {}
            places.peek().map_or(line.len(), |(_, byte)| *byte)
        };
        let start = byte(from);
        let rest = number + 1 == spans.len();
        cells.push(if rest { &line[start..] } else { line[start..byte(to)].trim_matches(' ') });
    }
    cells
}

/// True when no line leaves the first character of a column blank and fills a later one.
fn lefthand(lines: &[&str], span: Span) -> bool {
    lines.iter().all(|line| {
        let mut inside = line.chars().skip(span.0).take(span.1 - span.0);
        inside.next().is_none_or(|first| first != ' ') || inside.all(|character| character == ' ')
    })
}

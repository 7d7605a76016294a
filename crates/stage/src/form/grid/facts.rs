//! Finds what need not be said in every row.

use std::borrow::Cow;

use crate::form::grid::{Column, FILLED, Grid, Rule, within};
use crate::plan::Reader;

/// Rows looked at before a rule is tried on all.
const SAMPLE: usize = 32;

/// Wider tables are not searched for rules: every pair of columns is a candidate.
const MAX_COLUMNS: usize = 64;

/// How each column is best written.
pub(super) fn columns(reader: Reader, grid: &Grid<'_>) -> Vec<Column> {
    let mut columns: Vec<Column> = (0..grid.names.len()).map(|at| constant(grid, at)).collect();
    if !columns.contains(&Column::Shown) {
        columns[0] = Column::Shown;
    }
    if grid.names.len() <= MAX_COLUMNS && grid.rows.len() > 2 {
        rules(grid, &mut columns);
    }
    for (at, column) in columns.iter_mut().enumerate().filter(|(_, column)| **column == Column::Shown) {
        *column = usual(grid, at);
        if *column == Column::Shown && reader >= Reader::Strong {
            *column = edges(grid, at);
        }
    }
    columns
}

/// Signs that end what cells begin with, and begin what they end with, so that whole words are left.
const CUTS: [char; 12] = ['/', ':', '=', '?', '&', '#', '-', '_', '.', ' ', '@', ';'];
/// What an edge must save, in bytes.
const MIN_SAVED: usize = 60;

/// What all cells of a column that hold something begin and end with.
fn edges(grid: &Grid<'_>, at: usize) -> Column {
    let mut filled = cells(grid, at).filter(|cell| !cell.is_empty());
    let Some(first) = filled.next().filter(|_| nameable(grid, at)) else { return Column::Shown };
    let (mut before, mut after, mut count) = (first.len(), first.len(), 1);
    for cell in filled {
        let alike = |(one, two): &(u8, u8)| one == two;
        before = first.bytes().zip(cell.bytes()).take(before).take_while(alike).count();
        after = first.bytes().rev().zip(cell.bytes().rev()).take(after).take_while(alike).count();
        count += 1;
        if before + after == 0 {
            return Column::Shown;
        }
    }
    let head = first.get(..before).and_then(|head| Some(&head[..=head.rfind(CUTS)?])).unwrap_or_default();
    let tail =
        first.get(first.len() - after..).and_then(|tail| Some(&tail[tail.find(CUTS)?..])).unwrap_or_default();
    let worth = |edge: &str| {
        edge.len() > 1 && edge.len() * count >= MIN_SAVED + edge.len() && !edge.contains(['"', '\n', '\r'])
    };
    let (head, tail) = (if worth(head) { head } else { "" }, if worth(tail) { tail } else { "" });
    let whole = cells(grid, at).all(|cell| cell.is_empty() || within(head, tail, cell).is_some());
    let said = whole && !(head.is_empty() && tail.is_empty());
    if said { Column::Within(head.to_owned(), tail.to_owned()) } else { Column::Shown }
}

fn cells<'g>(grid: &'g Grid<'_>, at: usize) -> impl Iterator<Item = &'g str> {
    grid.rows.iter().map(move |row| &*row[at])
}

/// True when facts may speak of the column.
fn nameable(grid: &Grid<'_>, at: usize) -> bool {
    let name = &grid.names[at];
    let plain =
        !name.is_empty() && name.trim() == name && !name.contains([',', '=', '{', '}', '"', ':', '\n', '\r']);
    plain && !name.ends_with(FILLED) && grid.names.iter().filter(|other| *other == name).count() == 1
}

/// True when a value may stand in a line of facts.
fn sayable(value: &str) -> bool {
    value.len() <= 200 && !value.contains(['\n', '\r'])
}

fn constant(grid: &Grid<'_>, at: usize) -> Column {
    let mut cells = cells(grid, at);
    match cells.next() {
        Some(first) if sayable(first) && grid.rows.len() > 1 && nameable(grid, at) => {
            if cells.all(|cell| cell == first) { Column::Constant(first.to_owned()) } else { Column::Shown }
        }
        _ => Column::Shown,
    }
}

/// The value that two of three rows have, if leaving it out is worth a line.
fn usual(grid: &Grid<'_>, at: usize) -> Column {
    let mut vote = ("", 0_usize);
    for cell in cells(grid, at) {
        match vote {
            (_, 0) => vote = (cell, 1),
            (value, count) if value == cell => vote = (value, count + 1),
            (value, count) => vote = (value, count - 1),
        }
    }
    let value = vote.0;
    let count = cells(grid, at).filter(|cell| *cell == value).count();
    let common = count * 3 >= grid.rows.len() * 2 && count * (value.len() + 1) >= 12 + grid.names[at].len();
    let fit = !value.is_empty() && sayable(value) && nameable(grid, at);
    if common && fit { Column::Usual(value.to_owned()) } else { Column::Shown }
}

/// Puts the best rules to columns: no column is both made and a source.
fn rules(grid: &Grid<'_>, columns: &mut [Column]) {
    let shown: Vec<usize> =
        (0..columns.len()).filter(|&at| columns[at].shown() && nameable(grid, at)).collect();
    let pairs = shown
        .iter()
        .flat_map(|&at| shown.iter().filter(move |&&from| from != at).map(move |&from| (at, from)));
    let mut found: Vec<(usize, usize, Rule)> = pairs
        .flat_map(|(at, from)| candidates(grid, at, from).into_iter().map(move |rule| (at, rule)))
        .map(|(at, rule)| (weight(&rule, at, sample(grid)).1, at, rule))
        .collect();
    found.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
    let mut sources = vec![false; columns.len()];
    for (_, at, rule) in found {
        if sources[at] || columns[at] != Column::Shown || columns[rule.from] != Column::Shown {
            continue;
        }
        let (made, _) = weight(&rule, at, grid.rows.iter());
        if made * 3 >= grid.rows.len() {
            sources[rule.from] = true;
            columns[at] = if made == grid.rows.len() { Column::Always(rule) } else { Column::Made(rule) };
        }
    }
}

fn sample<'g, 'a>(grid: &'g Grid<'a>) -> impl Iterator<Item = &'g Vec<Cow<'a, str>>> + Clone {
    grid.rows.iter().step_by(grid.rows.len().div_ceil(SAMPLE).max(1))
}

/// How many rows a rule makes, and the bytes that it makes of them.
fn weight<'g, 'a: 'g>(
    rule: &Rule,
    at: usize,
    rows: impl Iterator<Item = &'g Vec<Cow<'a, str>>>,
) -> (usize, usize) {
    let made = rows.filter(|row| rule.gives(row, &row[at]));
    made.fold((0, 0), |(count, bytes), row| (count + 1, bytes + row[at].len()))
}

/// Rules that a sample suggests for the cells of `at` from those of `from`.
fn candidates(grid: &Grid<'_>, at: usize, from: usize) -> Vec<Rule> {
    let long = sample(grid).map(|row| row[at].len()).sum::<usize>() >= 4 * sample(grid).count();
    if !long {
        return Vec::new();
    }
    let mut found: Vec<(usize, Rule)> = Vec::new();
    for row in sample(grid) {
        let (made, source) = (&*row[at], &*row[from]);
        let parts = if source.len() < 2 { None } else { made.split_once(source) };
        if let Some((before, after)) = parts.filter(|parts| plain(*parts)) {
            note(&mut found, Rule { from, before: before.to_owned(), after: after.to_owned() });
        }
    }
    found.into_iter().filter(|(count, _)| *count > 1).map(|(_, rule)| rule).collect()
}

fn plain((before, after): (&str, &str)) -> bool {
    let held = |text: &str| text.len() <= 100 && !text.contains(['{', '}', '\n', '\r', '"']);
    held(before) && held(after) && !before.starts_with(' ') && !after.ends_with(' ')
}

fn note(found: &mut Vec<(usize, Rule)>, rule: Rule) {
    match found.iter_mut().find(|(_, known)| *known == rule) {
        Some((count, _)) => *count += 1,
        None => found.push((1, rule)),
    }
}

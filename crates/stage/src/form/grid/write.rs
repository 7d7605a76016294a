//! Writes a grid: facts, header, rows.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::form::grid::cell::{push_cell, push_last, push_quoted};
use crate::form::grid::{
    AFTER, ALWAYS, BEFORE, Column, EVERY, FIELDS, FILLED, Grid, MADE, PUT, Rule, USUAL, facts, within,
};
use crate::plan::Reader;

/// The grid as lines, each with its newline; `None` when a name cannot be written.
pub(crate) fn write(reader: Reader, grid: &Grid<'_>) -> Option<String> {
    if grid.names.is_empty() || grid.names.iter().any(|name| name.contains(['\n', '\r', '\t'])) {
        return None;
    }
    let columns = facts::columns(reader, grid);
    let shown: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].shown()).collect();
    let sheet = Sheet { grid, columns };
    let separator = sheet.separator();
    let mut out = String::new();
    sheet.push_facts(&mut out);
    push_line(&mut out, shown.iter().map(|&at| name(&grid.names[at])), separator);
    for row in &grid.rows {
        push_line(&mut out, shown.iter().map(|&at| sheet.text(row, at)), separator);
    }
    Some(out)
}

struct Sheet<'g, 'a> {
    grid: &'g Grid<'a>,
    columns: Vec<Column>,
}

impl Sheet<'_, '_> {
    /// A comma, unless so many cells hold one that quotes would cost more than tabs.
    fn separator(&self) -> char {
        let last = self.columns.iter().rposition(Column::shown).unwrap_or(0);
        let shown = |at: usize| at != last && self.columns[at].shown();
        let quoted = |row: &Vec<Cow<'_, str>>| {
            row.iter().enumerate().filter(|(at, cell)| shown(*at) && cell.contains(',')).count()
        };
        let total: usize = self.grid.rows.iter().map(quoted).sum();
        let width = (0..self.columns.len()).filter(|&at| shown(at)).count();
        if total * 2 > self.grid.rows.len() && width > 0 { '\t' } else { ',' }
    }

    fn push_facts(&self, out: &mut String) {
        let names = &self.grid.names;
        if self.columns.iter().any(|column| !column.shown()) {
            out.push_str(FIELDS);
            push_names(out, names);
        }
        let paired = |wanted: fn(&Column) -> Option<&String>| {
            let pairs = names.iter().zip(&self.columns);
            pairs
                .filter_map(|(name, column)| wanted(column).map(|value| pair(name, value)))
                .collect::<Vec<_>>()
        };
        push_list(
            out,
            EVERY,
            &paired(|column| if let Column::Constant(value) = column { Some(value) } else { None }),
        );
        push_list(
            out,
            USUAL,
            &paired(|column| if let Column::Usual(value) = column { Some(value) } else { None }),
        );
        for (at, (name, column)) in names.iter().zip(&self.columns).enumerate() {
            match column {
                Column::Made(rule) => self.push_rule(out, MADE, (name, rule)),
                Column::Always(rule) => self.push_rule(out, ALWAYS, (name, rule)),
                Column::Within(before, after) => {
                    let filled =
                        if self.grid.rows.iter().any(|row| row[at].is_empty()) { FILLED } else { "" };
                    for (words, edge) in [(BEFORE, before), (AFTER, after)] {
                        push_edge(out, edge, &[words, name, filled]);
                    }
                }
                _ => {}
            }
        }
    }

    fn push_rule(&self, out: &mut String, words: &str, (name, rule): (&str, &Rule)) {
        let Rule { from, before, after } = rule;
        let _ = writeln!(out, "{words}{name} = {before}{{{}}}{after}", self.grid.names[*from]);
    }

    /// A cell, or nothing where that stands for it.
    fn text<'r>(&self, row: &'r [Cow<'_, str>], at: usize) -> (&'r str, bool) {
        let cell = &*row[at];
        let implied = match &self.columns[at] {
            Column::Usual(value) => cell == value,
            Column::Made(rule) => rule.gives(row, cell),
            _ => false,
        };
        let text = match &self.columns[at] {
            _ if implied => "",
            Column::Within(before, after) => within(before, after, cell).unwrap_or(cell),
            _ => cell,
        };
        (text, !implied && cell.is_empty() && self.columns[at].implied())
    }
}

/// Says what belongs at an end of each cell, in quotes, and of which.
fn push_edge(out: &mut String, edge: &str, of: &[&str]) {
    if !edge.is_empty() {
        out.push_str(PUT);
        push_quoted(out, edge);
        out.extend(of.iter().copied().chain(["\n"]));
    }
}

/// A name of the header; in quotes where it could be taken for a fact.
fn name(name: &str) -> (&str, bool) {
    (name, name.contains([':', '=', ',', '"']))
}

fn push_line<'r>(out: &mut String, fields: impl Iterator<Item = (&'r str, bool)>, separator: char) {
    let mut fields = fields.peekable();
    while let Some((text, quoted)) = fields.next() {
        let last = fields.peek().is_none();
        match (quoted, last) {
            (true, _) => push_quoted(out, text),
            (false, true) => push_last(out, text),
            (false, false) => push_cell(out, text, separator),
        }
        out.push(if last { '\n' } else { separator });
    }
}

fn push_names(out: &mut String, names: &[Cow<'_, str>]) {
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_cell(out, name, ',');
    }
    out.push('\n');
}

fn push_list(out: &mut String, words: &str, items: &[String]) {
    if !items.is_empty() {
        let _ = writeln!(out, "{words}{}", items.join(", "));
    }
}

fn pair(name: &str, value: &str) -> String {
    let mut out = format!("{name}=");
    let bare = !value.is_empty() && value.trim() == value && !value.contains(',');
    if bare {
        push_last(&mut out, value);
    } else {
        push_quoted(&mut out, value);
    }
    out
}

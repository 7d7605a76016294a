//! Reads a grid back.

use std::borrow::Cow;

use crate::form::grid::cell::{Cell, take_cell, take_last, take_quoted};
use crate::form::grid::{AFTER, ALWAYS, BEFORE, Column, EVERY, FIELDS, FILLED, Grid, MADE, PUT, Rule, USUAL};
use crate::room::Room;

/// The grid of `count` rows at the beginning of `text`, and what stands below it.
pub(crate) fn read(room: Room, text: &str, count: usize) -> Option<(Grid<'_>, &str)> {
    let (facts, rest) = take_facts(text);
    let separator = if rest.lines().next()?.contains('\t') { '\t' } else { ',' };
    let (header, mut rest) = take_fields(rest, separator, None)?;
    let sheet = Sheet::new(&facts, &header)?;
    let mut rows = Vec::with_capacity(count.min(rest.len()));
    let mut growth = 0_usize;
    for _ in 0..count {
        let (fields, below) = take_fields(rest, separator, Some(header.len()))?;
        let row = sheet.row(fields);
        growth +=
            row.iter().filter(|cell| matches!(cell, Cow::Owned(_))).map(|cell| cell.len()).sum::<usize>();
        room.fits(growth)?;
        rows.push(row);
        rest = below;
    }
    Some((Grid { names: sheet.names, rows }, rest))
}

/// The lines of facts, and what stands below them.
fn take_facts(text: &str) -> (Vec<&str>, &str) {
    let words = [FIELDS, EVERY, USUAL, MADE, ALWAYS];
    let says = |line: &str| words.iter().any(|words| line.starts_with(words)) || edge(line).is_some();
    let mut facts = Vec::new();
    let mut rest = text;
    while let Some((line, below)) = rest.split_once('\n')
        && says(line)
    {
        facts.push(line);
        rest = below;
    }
    (facts, rest)
}

/// The fields of one line, which are `count`; of a header, as many as there are.
fn take_fields(text: &str, separator: char, count: Option<usize>) -> Option<(Vec<Cell<'_>>, &str)> {
    let mut fields = Vec::with_capacity(count.unwrap_or_default().min(1024));
    let mut rest = text;
    while count.is_none_or(|count| fields.len() + 1 < count) {
        let Some((cell, more)) = take_cell(rest, separator) else { break };
        fields.push(cell);
        rest = more;
    }
    let (cell, rest) = take_last(rest)?;
    fields.push(cell);
    (count.is_none_or(|count| count == fields.len())).then_some((fields, rest))
}

/// What header and facts say of the columns.
struct Sheet<'a> {
    names: Vec<Cow<'a, str>>,
    columns: Vec<Column>,
    shown: Vec<usize>,
}

impl<'a> Sheet<'a> {
    fn new(facts: &[&'a str], header: &[Cell<'a>]) -> Option<Self> {
        let names = match facts.iter().find_map(|fact| fact.strip_prefix(FIELDS)) {
            Some(names) => take_names(names)?,
            None => header.iter().map(|cell| cell.text.clone()).collect(),
        };
        let columns = vec![Column::Shown; names.len()];
        let mut sheet = Self { names, columns, shown: Vec::new() };
        for fact in facts {
            sheet.learn(fact)?;
        }
        sheet.shown = (0..sheet.names.len()).filter(|&at| sheet.columns[at].shown()).collect();
        let heads = sheet.shown.iter().map(|&at| &sheet.names[at]);
        heads.eq(header.iter().map(|cell| &cell.text)).then_some(sheet)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    fn learn(&mut self, fact: &str) -> Option<()> {
        for (words, wrap) in [(EVERY, Column::Constant as fn(String) -> Column), (USUAL, Column::Usual)] {
            let mut rest = fact.strip_prefix(words).unwrap_or_default();
            while !rest.is_empty() {
                let (name, value, more) = take_pair(rest)?;
                let at = self.place(name)?;
                self.columns[at] = wrap(value);
                rest = more;
            }
        }
        for (words, wrap) in [(MADE, Column::Made as fn(Rule) -> Column), (ALWAYS, Column::Always)] {
            let Some((name, how)) = fact.strip_prefix(words).and_then(|rest| rest.split_once(" = ")) else {
                continue;
            };
            let at = self.place(name)?;
            self.columns[at] = wrap(self.rule(how)?);
        }
        if let Some((name, words, text)) = edge(fact) {
            let at = self.place(name)?;
            let (mut before, mut after) = match &self.columns[at] {
                Column::Within(before, after) => (before.clone(), after.clone()),
                _ => (String::new(), String::new()),
            };
            *(if words == BEFORE { &mut before } else { &mut after }) = text.into_owned();
            self.columns[at] = Column::Within(before, after);
        }
        Some(())
    }

    fn rule(&self, how: &str) -> Option<Rule> {
        let (before, rest) = how.split_once('{')?;
        let (name, after) = rest.split_once('}')?;
        Some(Rule { from: self.place(name)?, before: before.to_owned(), after: after.to_owned() })
    }

    fn row(&self, cells: Vec<Cell<'a>>) -> Vec<Cow<'a, str>> {
        let mut row: Vec<Option<Cow<'a, str>>> = vec![None; self.names.len()];
        for (&at, cell) in self.shown.iter().zip(cells) {
            row[at] = self.given(at, cell);
        }
        let said = |at: usize| match &self.columns[at] {
            Column::Constant(value) | Column::Usual(value) => Cow::Owned(value.clone()),
            _ => Cow::Borrowed(""),
        };
        let missing: Vec<bool> = row.iter().map(Option::is_none).collect();
        let mut row: Vec<_> =
            row.into_iter().enumerate().map(|(at, cell)| cell.unwrap_or_else(|| said(at))).collect();
        for (at, column) in self.columns.iter().enumerate().filter(|(at, _)| missing[*at]) {
            if let Column::Made(rule) | Column::Always(rule) = column {
                row[at] = Cow::Owned(rule.make(&row));
            }
        }
        row
    }

    /// What a cell shows; nothing when it stands for what is said above.
    fn given(&self, at: usize, cell: Cell<'a>) -> Option<Cow<'a, str>> {
        if let Column::Within(before, after) = &self.columns[at]
            && !cell.text.is_empty()
        {
            return Some(Cow::Owned([before, &*cell.text, after].concat()));
        }
        (cell.quoted || !cell.text.is_empty() || !self.columns[at].implied()).then_some(cell.text)
    }
}

/// What a fact puts before or after the cells of a column: its name, the words, and the text.
fn edge(fact: &str) -> Option<(&str, &'static str, Cow<'_, str>)> {
    let (Cell { text, .. }, rest) = take_quoted(fact.strip_prefix(PUT)?)?;
    [BEFORE, AFTER].into_iter().find_map(|words| {
        let name = rest.strip_prefix(words)?;
        Some((name.strip_suffix(FILLED).unwrap_or(name), words, text.clone()))
    })
}

/// The names of a `fields` line.
fn take_names(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut names = Vec::new();
    let mut rest = line;
    loop {
        let (name, more) = if rest.starts_with('"') {
            let (cell, more) = take_quoted(rest)?;
            (cell.text, more)
        } else {
            let (name, more) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
            (Cow::Borrowed(name), more)
        };
        names.push(name);
        match more.strip_prefix(',') {
            Some(more) => rest = more,
            None => return more.is_empty().then_some(names),
        }
    }
}

/// The `name=value` at the beginning of a fact, and what follows its comma.
fn take_pair(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text.split_once('=')?;
    let (value, rest) = if rest.starts_with('"') {
        let (cell, rest) = take_quoted(rest)?;
        (cell.text.into_owned(), rest)
    } else {
        let (value, rest) = rest.split_at(rest.find(", ").unwrap_or(rest.len()));
        (value.to_owned(), rest)
    };
    Some((name, value, rest.strip_prefix(", ").unwrap_or(rest)))
}

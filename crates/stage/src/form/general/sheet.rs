//! Lays out a text: assigns lines to templates, and chooses names and separators.

use crate::form::general::alarm::is_alarming;
use crate::form::general::block;
use crate::form::general::mine;
use crate::form::general::name;
use crate::form::general::source::ReadText;
use crate::form::general::span::Span;
use crate::form::general::template::{LineTemplate, RESTATE_AFTER_ROWS, follows, is_dittoed};

/// The layout of a text.
pub(super) struct TextSheet {
    pub(super) templates: Vec<NamedTemplate>,
    pub(super) items: Vec<SheetItem>,
    /// The sign for a value that is the same as in the row above.
    pub(super) ditto: Option<char>,
}

/// A template with its names.
pub(super) struct NamedTemplate {
    pub(super) template: LineTemplate,
    pub(super) name: String,
    /// True when the common text of the template contains an error or a warning.
    pub(super) is_alarming: bool,
    pub(super) holes: Vec<String>,
    /// The separator between the values of a row.
    pub(super) separator: &'static str,
    /// The values of the template, row by row.
    pub(super) rows: Vec<Vec<RowValue>>,
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowValue {
    Text(Span),
    /// The same value as in the row above.
    Again,
}

/// A line of the layout.
#[derive(Debug, Clone, Copy)]
pub(super) enum SheetItem {
    Line(u32),
    /// The index of a template, and the index of the row among its rows.
    Row(usize, usize),
}

/// Separators between values, likeliest first.
const SEPARATORS: [&str; 6] = [",", " ", "|", ";", "\t", " ¦ "];

impl TextSheet {
    /// Finds the best layout, which may leave all lines unchanged.
    pub(super) fn of(source: &ReadText<'_>) -> Self {
        let found = mine::mine(source);
        let templates = if found.is_empty() { found } else { block::arrange(source, found) };
        let ditto = name::ditto(source.text);
        let mut named: Vec<_> =
            templates.into_iter().map(|template| without_names(source, template, ditto.is_some())).collect();
        separate(source.text, &mut named);
        named.retain(|template| {
            template.rows.first().is_some_and(|row| row.len() < 2) || !template.separator.is_empty()
        });
        named.sort_by_key(|named| named.template.rows[0]);
        let items = items(source, &named);
        let literals: Vec<u32> = items
            .iter()
            .filter_map(|item| if let SheetItem::Line(line) = item { Some(*line) } else { None })
            .collect();
        for (template, letters) in named.iter_mut().zip(name::template_letters(source, &literals)) {
            template.holes = name::hole_names(source, &template.template);
            template.name = if template.is_alarming { format!("{letters}{}", name::ALARM) } else { letters };
        }
        Self { templates: named, items, ditto }
    }
}

fn without_names(source: &ReadText<'_>, template: LineTemplate, has_ditto: bool) -> NamedTemplate {
    let is_alarming = is_alarming(&template.same_text(source.text));
    let rows = values(source, &template, has_ditto && !is_alarming);
    NamedTemplate { template, name: String::new(), is_alarming, holes: Vec::new(), separator: "", rows }
}

/// The values of a template's rows. Within a run, a ditto sign replaces a repeated value for a limited number of rows.
fn values(source: &ReadText<'_>, template: &LineTemplate, has_ditto: bool) -> Vec<Vec<RowValue>> {
    let row = |_| Vec::with_capacity(template.columns.len());
    let mut rows: Vec<_> = template.rows.iter().map(row).collect();
    let follows = follows(&template.rows, template.height);
    for cells in &template.columns {
        let (mut before, mut age) = ("", 0);
        for ((cell, follows), row) in cells.iter().zip(&follows).zip(&mut rows) {
            let value = cell.of(source.text);
            let is_again = *follows && has_ditto && value == before && age + 1 < RESTATE_AFTER_ROWS;
            if is_again && is_dittoed(value, source.costs.cost(*cell)) {
                age += 1;
                row.push(RowValue::Again);
            } else {
                age = 0;
                row.push(RowValue::Text(*cell));
            }
            before = value;
        }
    }
    rows
}

/// Chooses a separator for every template with several holes. As many templates as possible share one separator.
fn separate(text: &str, named: &mut [NamedTemplate]) {
    let several = named.iter_mut().filter(|named| named.template.columns.len() > 1);
    let mut open: Vec<_> = several.map(|named| (free_separators(text, named), named)).collect();
    while !open.is_empty() {
        let count = |place: usize| {
            let fit = open.iter().filter(|(free, _)| free[place]);
            fit.map(|(_, named)| named.rows.len()).sum::<usize>()
        };
        let best = (0..SEPARATORS.len()).rev().max_by_key(|place| count(*place)).unwrap_or(0);
        if count(best) == 0 {
            return;
        }
        let (done, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|(free, _)| free[best]);
        for (_, named) in done {
            named.separator = SEPARATORS[best];
        }
        open = rest;
    }
}

/// For each separator, whether it can stand between the values of a template: no value contains it.
fn free_separators(text: &str, named: &NamedTemplate) -> [bool; SEPARATORS.len()] {
    let mut free = [true; SEPARATORS.len()];
    for value in named.rows.iter().flatten() {
        let RowValue::Text(span) = value else { continue };
        let bytes = span.bytes(text);
        for (free, separator) in free.iter_mut().zip(SEPARATORS) {
            let is_in = match separator.as_bytes() {
                // An empty value between two blanks would look like no value.
                b" " => bytes.is_empty() || bytes.contains(&b' '),
                [sign] => bytes.contains(sign),
                _ => !bytes.is_ascii() && span.of(text).contains(separator.trim_matches(' ')),
            };
            *free &= !is_in;
        }
    }
    free
}

/// Lists the lines and rows of the layout in order.
fn items(source: &ReadText<'_>, named: &[NamedTemplate]) -> Vec<SheetItem> {
    let mut starts: Vec<Option<(usize, usize)>> = vec![None; source.lines.len()];
    for (number, named) in named.iter().enumerate() {
        for (row, line) in named.template.rows.iter().enumerate() {
            starts[*line as usize] = Some((number, row));
        }
    }
    let mut items = Vec::new();
    let mut line = 0;
    while line < starts.len() {
        if let Some((number, row)) = starts[line] {
            items.push(SheetItem::Row(number, row));
            line += named[number].template.height;
        } else {
            items.push(SheetItem::Line(line as u32));
            line += 1;
        }
    }
    items
}

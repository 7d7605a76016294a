//! Writes a list of records: first the facts, then one line for each record.

use std::collections::HashSet;

use super::hoist::Hoist;
use super::level::{Level, LevelField, Members};
use super::share;
use super::{KeyPlace, facts, rows};
use crate::terse::style::ListStyle;
use crate::terse::{flow, words};
use crate::{Text, Value};

/// The text of a list, with one line for each record.
pub(super) struct List {
    pub(super) text: String,
    /// True when lists inside the records make the lines long.
    pub(super) long: bool,
}

/// The minimum number of rows for a header. Shorter lists keep each key next to its value: they are easier to read
/// this way, and a header would save little.
const MIN_ROWS: usize = 13;

/// Writes `rows` as a list, each row after its key if `keys` are given; `None` when no order of fields fits all rows.
pub(super) fn list<'v>(place: KeyPlace, rows: &[Members<'v>], keys: Option<&[&Text<'v>]>) -> Option<List> {
    if rows.len() < 2 {
        return None;
    }
    let mut level = Level::of(rows)?;
    share::mark_shared(&mut level);
    let table = if place == KeyPlace::Header && suits_table(&level) {
        self::table(&mut level, rows, keys)
    } else {
        None
    };
    let text = table.unwrap_or_else(|| records(&mut level, rows, keys));
    Some(List { text, long: level.has_long_lists() })
}

/// True when the records are easy to read as cells under a header: many, similar, and not mostly booleans.
fn suits_table(level: &Level<'_>) -> bool {
    let stored = level.fields.iter().filter(|field| field.hoist == Hoist::Stored);
    let (columns, flags) = stored.fold((0, 0), |(columns, flags), field| {
        let flag = field.values().all(|value| matches!(value, Value::Bool(_)));
        (columns + 1, flags + usize::from(flag))
    });
    level.size() >= MIN_ROWS && flags * 3 < columns.max(1) && rows::is_dense(level)
}

/// Writes the records with their keys. They omit only the fields that the facts give for all records: see
/// `spec/terse.md`.
fn records<'v>(level: &mut Level<'v>, rows: &[Members<'v>], keys: Option<&[&Text<'v>]>) -> String {
    let style = if keys.is_some() { ListStyle::KeyedRecords } else { ListStyle::Records };
    share::records(level);
    let mut out = intro(level, style, 0);
    for (index, row) in rows.iter().enumerate() {
        start(&mut out, keys, index);
        rows::push_record(&mut out, level, row);
    }
    out
}

/// Writes the records as cells under a header; `None` when a record would have no cell.
fn table<'v>(level: &mut Level<'v>, rows: &[Members<'v>], keys: Option<&[&Text<'v>]>) -> Option<String> {
    let style = if keys.is_some() { ListStyle::KeyedRows } else { ListStyle::Rows };
    share::cells(level);
    let slots = rows::slots(level);
    let lead = if keys.is_some() { 0 } else { lead(level) };
    let mut out = intro(level, style, lead);
    out.push_str(if keys.is_some() { words::KEY } else { "" });
    rows::push_header(&mut out, &slots, lead);
    out.push('\n');
    for (index, row) in rows.iter().enumerate() {
        start(&mut out, keys, index);
        let before = out.len();
        rows::push_row(&mut out, &slots, lead, row);
        if out.len() == before {
            return None;
        }
    }
    Some(out)
}

/// The field that comes first in each row. Readers find a row by its start, so this is a field with a different value
/// in each row; if there are several, the shortest one.
fn lead(level: &Level<'_>) -> usize {
    let unique = |index: &usize| tells_apart(&level.fields[*index]);
    let first = level.fields.iter().position(|field| field.hoist.is_stored()).unwrap_or(0);
    if level.fields.is_empty() || unique(&first) {
        return 0;
    }
    let candidates = (0..level.fields.len()).filter(unique);
    candidates.min_by_key(|&index| size(&level.fields[index])).unwrap_or(0)
}

/// True when every row has a different value in `field`.
fn tells_apart(field: &LevelField<'_>) -> bool {
    let mut seen = HashSet::new();
    matches!(field.hoist, Hoist::Stored | Hoist::Prefix(_))
        && field.cells.iter().all(|cell| cell.and_then(Value::text).is_some_and(|text| seen.insert(text)))
}

fn size(field: &LevelField<'_>) -> usize {
    field.values().filter_map(Value::text).map(str::len).sum()
}

fn intro(level: &Level<'_>, style: ListStyle, lead: usize) -> String {
    format!("{} {}\n{}", level.size(), style.words(), facts::print(level, style, lead))
}

/// Starts the line of one record.
fn start(out: &mut String, keys: Option<&[&Text<'_>]>, index: usize) {
    out.push_str(if index > 0 { "\n" } else { "" });
    if let Some(key) = keys.and_then(|keys| keys.get(index)) {
        flow::push_key(out, key);
        out.push_str(": ");
    }
}

//! Writes a list's records without the values that the facts cover: as cells under a header, or with their keys.

use super::hoist::Hoist;
use super::level::{Level, LevelField, Members};
use crate::terse::flow;
use crate::{Text, Value};

/// The columns of one field: a column for its own values, and the columns of the records inside it.
pub(super) struct CellSlot<'l, 'v> {
    key: &'v Text<'v>,
    hoist: &'l Hoist<'v>,
    below: Option<&'l Level<'v>>,
    own: Own<'l, 'v>,
    group: Option<Vec<CellSlot<'l, 'v>>>,
}

/// The column for values that are not single records.
enum Own<'l, 'v> {
    None,
    Value,
    List(Vec<CellSlot<'l, 'v>>),
}

/// The columns of a level.
pub(super) fn slots<'l, 'v>(level: &'l Level<'v>) -> Vec<CellSlot<'l, 'v>> {
    level.fields.iter().map(slot).collect()
}

fn slot<'l, 'v>(field: &'l LevelField<'v>) -> CellSlot<'l, 'v> {
    let below = field.below.as_ref();
    let flat = below.filter(|below| field.hoist.is_stored() && is_dense(below));
    let (mut values, mut lists, mut groups) = (false, false, false);
    for value in field.values().filter(|value| !field.hoist.hides(value)) {
        match (flat, value) {
            (Some(below), Value::Object(members)) if has_stored(below, members) => groups = true,
            (Some(below), Value::Array(items)) if items.iter().any(|item| is_tuple(below, item)) => {
                lists = true;
            }
            _ => values = true,
        }
    }
    let own = match flat {
        Some(below) if lists => Own::List(slots(below)),
        _ if values => Own::Value,
        _ => Own::None,
    };
    let group = flat.filter(|_| groups).map(slots);
    CellSlot { key: field.key, hoist: &field.hoist, below, own, group }
}

/// True when the records fill at least half of their cells.
pub(super) fn is_dense(level: &Level<'_>) -> bool {
    let stored = level.fields.iter().filter(|field| field.hoist.is_stored());
    let (cells, full) = stored
        .fold((0, 0), |(cells, full), field| (cells + field.cells.len(), full + field.values().count()));
    full * 2 >= cells
}

/// True when a record of `level` contains a value that no fact covers.
fn has_stored<'v>(level: &Level<'v>, members: Members<'v>) -> bool {
    let mut fields = level.fields.iter();
    members.iter().any(|(key, value)| {
        fields.by_ref().find(|field| field.key == key).is_some_and(|field| !field.hoist.hides(value))
    })
}

/// True when an item of a list can be written in parentheses.
fn is_tuple<'v>(level: &Level<'v>, item: &'v Value<'v>) -> bool {
    matches!(item, Value::Object(members) if has_stored(level, members))
}

/// Writes the header of a level's columns, with the field at `lead` first.
pub(super) fn push_header(out: &mut String, slots: &[CellSlot<'_, '_>], lead: usize) {
    let (before, rest) = slots.split_at(lead.min(slots.len()));
    let (first, after) = rest.split_at(rest.len().min(1));
    push_columns(out, first.iter().chain(before).chain(after));
}

fn push_columns<'s, 'l: 's, 'v: 'l>(out: &mut String, slots: impl Iterator<Item = &'s CellSlot<'l, 'v>>) {
    let mut first = true;
    for slot in slots.filter(|slot| slot.hoist.is_stored()) {
        for inside in [slot.own.columns(), slot.group.as_ref().map(|group| ("{", &group[..], "}"))] {
            let Some((open, columns, close)) = inside else { continue };
            out.push_str(if first { "" } else { "," });
            first = false;
            flow::push_key(out, slot.key);
            out.push_str(open);
            push_header(out, columns, 0);
            out.push_str(close);
        }
    }
}

impl<'l, 'v> Own<'l, 'v> {
    /// The opening and closing brackets of the column in a header, and the columns between them.
    fn columns(&self) -> Option<(&'static str, &[CellSlot<'l, 'v>], &'static str)> {
        match self {
            Self::None => None,
            Self::Value => Some(("", &[], "")),
            Self::List(columns) => Some(("[", columns, "]")),
        }
    }
}

/// Writes the cells of one record, with the field at `lead` first; writes nothing when the record has no cells.
pub(super) fn push_row<'v>(out: &mut String, slots: &[CellSlot<'_, 'v>], lead: usize, members: Members<'v>) {
    let mut row = Row { out, waiting: 0, first: true };
    let Some((slot, at)) = slots.get(lead).filter(|_| lead > 0).and_then(|slot| {
        let at = members.iter().position(|(key, _)| key == slot.key)?;
        Some((slot, at))
    }) else {
        return row.cells(slots, Some(members));
    };
    row.slot(slot, Some(&members[at].1));
    row.cells(&slots[..lead], Some(&members[..at]));
    row.cells(&slots[lead + 1..], Some(&members[at + 1..]));
}

/// The state while a row is written. Commas are written only when a cell follows, so that no comma is at the end.
struct Row<'o> {
    out: &'o mut String,
    waiting: usize,
    first: bool,
}

impl Row<'_> {
    fn cells<'v>(&mut self, slots: &[CellSlot<'_, 'v>], members: Option<Members<'v>>) {
        let mut rest = members.unwrap_or_default();
        for slot in slots {
            let value = match rest.split_first() {
                Some(((key, value), tail)) if key == slot.key => {
                    rest = tail;
                    Some(value)
                }
                _ => None,
            };
            if slot.hoist.is_stored() {
                self.slot(slot, value.filter(|value| !slot.hoist.hides(value)));
            }
        }
    }

    fn slot<'v>(&mut self, slot: &CellSlot<'_, 'v>, value: Option<&'v Value<'v>>) {
        let inside = match (&slot.group, slot.below, value) {
            (Some(_), Some(below), Some(Value::Object(members))) if has_stored(below, members) => {
                Some(&members[..])
            }
            _ => None,
        };
        if !matches!(slot.own, Own::None) {
            self.next();
            if let (Some(value), None) = (value, inside) {
                self.start();
                slot.push(self.out, value);
            }
        }
        if let Some(group) = &slot.group {
            self.cells(group, inside);
        }
    }

    /// Moves to the next cell.
    fn next(&mut self) {
        self.waiting += usize::from(!self.first);
        self.first = false;
    }

    /// Writes the pending commas.
    fn start(&mut self) {
        self.out.extend(std::iter::repeat_n(',', self.waiting));
        self.waiting = 0;
    }
}

impl<'v> CellSlot<'_, 'v> {
    /// Writes the cell for the field's own column.
    fn push(&self, out: &mut String, value: &'v Value<'v>) {
        match (&self.own, self.below, value) {
            (Own::List(columns), Some(below), Value::Array(items)) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    match item {
                        Value::Object(members) if has_stored(below, members) => {
                            out.push('(');
                            push_row(out, columns, 0, members);
                            out.push(')');
                        }
                        Value::Object(members) => push_record(out, below, members),
                        _ => flow::push(out, item),
                    }
                }
                out.push(']');
            }
            _ => push_field(out, value, self.hoist, self.below),
        }
    }
}

/// Writes a value without the values that the facts about its records cover.
pub(super) fn push_stored<'v>(out: &mut String, value: &'v Value<'v>, level: Option<&Level<'v>>) {
    match (value, level) {
        (Value::Object(members), Some(level)) => push_record(out, level, members),
        (Value::Array(items), Some(level)) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                match item {
                    Value::Object(members) => push_record(out, level, members),
                    _ => flow::push(out, item),
                }
            }
            out.push(']');
        }
        _ => flow::push(out, value),
    }
}

/// Writes a record with its keys, without the values that the facts cover.
pub(super) fn push_record<'v>(out: &mut String, level: &Level<'v>, members: Members<'v>) {
    let mut fields = level.fields.iter();
    let mut first = true;
    out.push('{');
    for (key, value) in members {
        // Members are in the order of the fields, so one pass over both finds every pair.
        let Some(field) = fields.by_ref().find(|field| field.key == key) else { continue };
        if !field.hoist.hides(value) {
            out.push_str(if first { "" } else { "," });
            first = false;
            flow::push_key(out, key);
            out.push(':');
            push_field(out, value, &field.hoist, field.below.as_ref());
        }
    }
    out.push('}');
}

fn push_field<'v>(out: &mut String, value: &'v Value<'v>, hoist: &Hoist<'v>, below: Option<&Level<'v>>) {
    match (hoist, value) {
        (Hoist::Prefix(prefix), Value::String(text)) => {
            flow::push_text(out, text.as_str().strip_prefix(prefix).unwrap_or(text.as_str()));
        }
        _ => push_stored(out, value, below),
    }
}

//! Collects the fields of a list's records, at any depth, as columns, so that they can be compared.

use super::hoist::Hoist;
use super::level::{Level, LevelField};
use crate::terse::path;
use crate::{Text, Value};

/// The maximum number of columns of one list; further columns are not compared.
const MAX_COLUMNS: usize = 160;

/// The columns of a list, and the lists inside its records.
#[derive(Default)]
pub(super) struct Columns<'l, 'v> {
    pub(super) list: Vec<Column<'v>>,
    pub(super) lists: Vec<ListColumns<'l, 'v>>,
    records: usize,
}

/// A list inside the records of another list.
pub(super) struct ListColumns<'l, 'v> {
    pub(super) trail: ColumnTrail<'v>,
    pub(super) level: &'l Level<'v>,
    /// For each record of this list, the index of the outer record that contains it.
    pub(super) owners: Vec<u32>,
}

/// One field, with its value in each record of the list.
pub(super) struct Column<'v> {
    pub(super) place: Vec<usize>,
    pub(super) name: String,
    pub(super) texts: Vec<Option<&'v str>>,
    pub(super) cells: Vec<Option<&'v Value<'v>>>,
    /// For each record, true when it has the object that would contain the field.
    pub(super) held: Vec<bool>,
    /// True when every value is a string.
    pub(super) strings: bool,
    /// The total length of all texts in bytes.
    pub(super) size: usize,
}

/// The path of a level, as indexes and as keys.
#[derive(Default, Clone)]
pub(super) struct ColumnTrail<'v> {
    place: Vec<usize>,
    steps: Vec<&'v Text<'v>>,
}

impl<'v> ColumnTrail<'v> {
    fn to(&self, index: usize, field: &LevelField<'v>) -> Self {
        let mut trail = self.clone();
        trail.place.push(index);
        trail.steps.push(field.key);
        trail
    }
}

impl<'l, 'v> Columns<'l, 'v> {
    /// Collects the columns of the list whose records are in `level`.
    pub(super) fn of(level: &'l Level<'v>, trail: &ColumnTrail<'v>) -> Self {
        let mut columns = Self { records: level.size(), ..Self::default() };
        let owners: Vec<u32> = (0..).take(level.size()).collect();
        columns.gather(level, trail, &owners);
        columns
    }

    /// Adds the fields of a level; `owners` contains, for each record of the level, the index of the list's record
    /// around it.
    fn gather(&mut self, level: &'l Level<'v>, trail: &ColumnTrail<'v>, owners: &[u32]) {
        for (index, field) in level.fields.iter().enumerate() {
            if field.hoist != Hoist::Stored {
                continue;
            }
            let trail = trail.to(index, field);
            if let Some(below) = &field.below {
                let owners: Vec<u32> = below.parents.iter().map(|&parent| owners[parent as usize]).collect();
                if field.values().any(|value| matches!(value, Value::Array(_))) {
                    self.lists.push(ListColumns { trail, level: below, owners });
                } else {
                    self.gather(below, &trail, &owners);
                }
            } else if self.list.len() < MAX_COLUMNS {
                self.list.extend(Column::new(trail, field, owners, self.records));
            }
        }
    }
}

impl<'v> Column<'v> {
    /// Creates the column of a field; `None` when no value has a text.
    fn new(trail: ColumnTrail<'v>, field: &LevelField<'v>, owners: &[u32], records: usize) -> Option<Self> {
        let mut column = Self {
            place: trail.place,
            name: path::print(&trail.steps),
            texts: vec![None; records],
            cells: vec![None; records],
            held: vec![false; records],
            strings: true,
            size: 0,
        };
        for (cell, &owner) in field.cells.iter().zip(owners) {
            column.set(owner as usize, *cell);
        }
        (column.size > 0).then_some(column)
    }

    fn set(&mut self, record: usize, cell: Option<&'v Value<'v>>) {
        let text = cell.and_then(Value::text);
        self.strings &= matches!(cell, None | Some(Value::String(_)));
        self.size += text.map_or(0, str::len);
        self.texts[record] = text;
        self.cells[record] = cell;
        self.held[record] = true;
    }
}

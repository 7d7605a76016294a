//! Collects the records of a list by path, with their fields in order and the values of each field.

use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::{cmp::Reverse, mem};

use super::hoist::Hoist;
use crate::{Text, Value};

/// The members of one object.
pub(super) type Members<'v> = &'v [(Text<'v>, Value<'v>)];

/// All records at one path of a list.
pub(super) struct Level<'v> {
    /// The fields, in an order that fits every record.
    pub(super) fields: Vec<LevelField<'v>>,
    /// For each record, the index of the record of the level above that contains it.
    pub(super) parents: Vec<u32>,
}

/// One field of a level's records.
pub(super) struct LevelField<'v> {
    pub(super) key: &'v Text<'v>,
    /// The value of the field in each record.
    pub(super) cells: Vec<Option<&'v Value<'v>>>,
    /// The records inside the values of the field.
    pub(super) below: Option<Level<'v>>,
    /// How the field is written.
    pub(super) hoist: Hoist<'v>,
}

/// The maximum number of fields. Wider records are not treated as a list, because comparing their columns would take
/// too long.
const MAX_FIELDS: usize = 400;

/// The maximum number of records in a short list inside a record; a list with more records is long.
const MAX_SHORT_LIST: usize = 6;

/// The maximum number of empty cells for each full cell of a level, so that memory grows only in proportion to the
/// input.
const MAX_EMPTY_CELLS: usize = 16;

impl<'v> Level<'v> {
    /// The level of a list's own records; `None` when a record repeats a key, or when no order of fields fits all
    /// records.
    pub(super) fn of(rows: &[Members<'v>]) -> Option<Self> {
        Self::gather(rows, vec![0; rows.len()])
    }

    /// The number of records.
    pub(super) fn size(&self) -> usize {
        self.parents.len()
    }

    /// True when the records contain long lists.
    pub(super) fn has_long_lists(&self) -> bool {
        self.fields.iter().any(|field| {
            let lists = field.values().filter(|value| matches!(value, Value::Array(_))).count();
            field.below.as_ref().is_some_and(|below| {
                if lists > 0 { below.size() > MAX_SHORT_LIST * lists } else { below.has_long_lists() }
            })
        })
    }

    fn gather(records: &[Members<'v>], parents: Vec<u32>) -> Option<Self> {
        let mut gather = Gather::new(records);
        for (index, record) in records.iter().enumerate() {
            gather.add(index, record)?;
        }
        let fields = gather.into_ordered()?;
        Some(Self { fields, parents })
    }
}

impl<'v> LevelField<'v> {
    fn new(key: &'v Text<'v>, records: usize) -> Self {
        Self { key, cells: vec![None; records], below: None, hoist: Hoist::Stored }
    }

    /// The values that are present.
    pub(super) fn values(&self) -> impl Iterator<Item = &'v Value<'v>> + '_ {
        self.cells.iter().flatten().copied()
    }

    /// Collects the records inside the field's values, if some order of fields fits all of them.
    fn descend(&mut self) {
        let mut records = Vec::new();
        let mut parents = Vec::new();
        let cells = self.cells.iter().zip(0..).filter_map(|(cell, index)| cell.map(|value| (value, index)));
        for (value, index) in cells {
            each_record(value, &mut |record| {
                records.push(record);
                parents.push(index);
            });
        }
        if !records.is_empty() {
            self.below = Level::gather(&records, parents);
        }
    }
}

/// Calls `visit` with `value` if it is an object, or with each object among its items if it is an array.
fn each_record<'v>(value: &'v Value<'v>, visit: &mut impl FnMut(Members<'v>)) {
    match value {
        Value::Object(members) => visit(members),
        Value::Array(items) => {
            for item in items {
                if let Value::Object(members) = item {
                    visit(members);
                }
            }
        }
        _ => {}
    }
}

/// The fields found so far, in the order of their first appearance.
struct Gather<'v> {
    fields: Vec<LevelField<'v>>,
    index: HashMap<&'v str, usize>,
    /// For each field, true when the next field of `fields` directly follows it in some record.
    chained: Vec<bool>,
    /// Pairs of fields that directly follow each other in some record but are not neighbours in `fields`.
    follows: BTreeSet<(usize, usize)>,
    records: usize,
    max_fields: usize,
}

impl<'v> Gather<'v> {
    fn new(records: &[Members<'v>]) -> Self {
        let cells: usize = records.iter().map(|record| record.len()).sum();
        let max_cells = MAX_EMPTY_CELLS * cells + 4096;
        Self {
            fields: Vec::new(),
            index: HashMap::new(),
            chained: Vec::new(),
            follows: BTreeSet::new(),
            records: records.len(),
            max_fields: MAX_FIELDS.min(max_cells / records.len().max(1)),
        }
    }

    fn add(&mut self, record: usize, members: Members<'v>) -> Option<()> {
        let mut before: Option<usize> = None;
        for (key, value) in members {
            let field = self.find(key, before.map_or(0, |field| field + 1))?;
            if self.fields[field].cells[record].replace(value).is_some() {
                return None;
            }
            match before {
                Some(before) if field == before + 1 => self.chained[before] = true,
                Some(before) => _ = self.follows.insert((before, field)),
                None => {}
            }
            before = Some(field);
        }
        Some(())
    }

    /// The index of the field `key`; `guess` is tried first.
    fn find(&mut self, key: &'v Text<'v>, guess: usize) -> Option<usize> {
        if self.fields.get(guess).is_some_and(|field| field.key == key) {
            return Some(guess);
        }
        if let Some(&found) = self.index.get(key.as_str()) {
            return Some(found);
        }
        if self.fields.len() == self.max_fields {
            return None;
        }
        self.index.insert(key.as_str(), self.fields.len());
        self.fields.push(LevelField::new(key, self.records));
        self.chained.push(false);
        Some(self.fields.len() - 1)
    }

    /// The fields in an order that fits every record; `None` when there is no such order.
    fn into_ordered(mut self) -> Option<Vec<LevelField<'v>>> {
        if !self.follows.is_empty() {
            self.sort()?;
        }
        self.fields.iter_mut().for_each(LevelField::descend);
        Some(self.fields)
    }

    /// Sorts the fields topologically; if several fields could come next, the one that appeared first is chosen.
    fn sort(&mut self) -> Option<()> {
        let neighbours = self.neighbours();
        let mut waits = vec![0; self.fields.len()];
        neighbours.iter().flatten().for_each(|&field| waits[field] += 1);
        let mut ready: BinaryHeap<_> =
            (0..waits.len()).filter(|&field| waits[field] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(waits.len());
        while let Some(Reverse(field)) = ready.pop() {
            order.push(field);
            for &next in &neighbours[field] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.push(Reverse(next));
                }
            }
        }
        if order.len() < waits.len() {
            return None;
        }
        let mut slots: Vec<_> = mem::take(&mut self.fields).into_iter().map(Some).collect();
        self.fields = order.into_iter().filter_map(|field| slots[field].take()).collect();
        Some(())
    }

    /// For each field, the fields that directly follow it in some record.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.fields.len()];
        for &(before, after) in &self.follows {
            neighbours[before].push(after);
        }
        for before in 1..self.fields.len() {
            if self.chained[before - 1] {
                neighbours[before - 1].push(before);
            }
        }
        neighbours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column is as long as the list, so that columns are not made for records that share none.
    #[test]
    fn records_that_share_no_key_are_given_up_before_they_take_memory() {
        let keys: Vec<_> = (0..10_000).map(|at| format!("k{at}")).collect();
        let rows: Vec<_> = keys.iter().map(|key| [(Text::plain(key), Value::Null)]).collect();
        let records: Vec<Members<'_>> = rows.iter().map(|row| &row[..]).collect();
        let mut gather = Gather::new(&records);
        let added =
            records.iter().enumerate().take_while(|(at, record)| gather.add(*at, record).is_some()).count();
        assert_eq!((added, gather.fields.len()), (MAX_EMPTY_CELLS, MAX_EMPTY_CELLS));
    }
}

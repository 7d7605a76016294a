//! Fields that follow from another one, in a table of their own.

use std::collections::HashMap;

use tersely_codec::{Value, json};

use super::place::{self, PartPlace, RecordMembers};
use crate::form::join::{self, Join};
use crate::room::Room;

/// A list whose records lost what follows from one of their fields.
pub(super) struct Joined<'v> {
    place: PartPlace,
    key: String,
    names: Vec<String>,
    /// Where the fields stood in each record.
    at: Vec<usize>,
    /// For each value of the key, what follows from it.
    pub(super) table: Value<'v>,
}

const ROWS: &str = "rows with the same ";
const SHARE: &str = " share ";
const WHERE: &str = ": look these up in the table right below";
const AT: &str = "at ";

impl Joined<'_> {
    pub(super) fn head(&self) -> String {
        let Self { place, key, names, .. } = self;
        place::head(place, &format!("{ROWS}{key}{SHARE}{}{WHERE}", names.join(", ")))
    }

    /// Writes `at 2,3,4`.
    pub(super) fn note(&self) -> String {
        AT.to_owned() + &self.at.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
    }
}

/// Takes what follows from a field out of the first list where that pays.
pub(super) fn split<'v>(value: &mut Value<'v>) -> Option<Joined<'v>> {
    place::find(value, place::is_list).into_iter().find_map(|place| split_at(value, place))
}

fn split_at<'v>(value: &mut Value<'v>, place: PartPlace) -> Option<Joined<'v>> {
    let part = place::at(value, &place)?;
    let records = place::records(part)?;
    let names: Vec<&str> = records.first()?.iter().map(|(key, _)| key.as_str()).collect();
    let alike =
        records.iter().all(|record| record.iter().map(|(key, _)| key.as_str()).eq(names.iter().copied()));
    if !alike || names.iter().any(|name| !place::is_name(name)) {
        return None;
    }
    let cells: Vec<Vec<String>> = (0..names.len())
        .map(|at| records.iter().map(|record| json::encode(&record[at].1)).collect())
        .collect();
    let columns: Vec<Vec<&str>> =
        cells.iter().map(|cells| cells.iter().map(String::as_str).collect()).collect();
    let Join { key, rest, firsts } = join::find(&[], &columns)?;
    if !records.iter().all(|record| matches!(record[key].1, Value::String(_) | Value::Number(_))) {
        return None;
    }
    let chosen = || std::iter::once(&key).chain(&rest);
    let row = |first: &usize| Value::Object(chosen().map(|&at| records[*first][at].clone()).collect());
    let table = Value::Array(firsts.iter().map(row).collect());
    let said = |at: &usize| names[*at].to_owned();
    let joined = Joined { key: said(&key), names: rest.iter().map(said).collect(), place, at: rest, table };
    let Value::Array(items) = part else { return None };
    for item in items {
        let Value::Object(members) = item else { continue };
        let mut at = 0..;
        members.retain(|_| !at.next().is_some_and(|at| joined.at.contains(&at)));
    }
    Some(joined)
}

pub(super) fn is_head(head: &str) -> bool {
    read(head).is_some()
}

fn read(head: &str) -> Option<(PartPlace, &str)> {
    let (place, words) = place::read_head(head)?;
    let (key, _) = words.strip_prefix(ROWS)?.strip_suffix(WHERE)?.split_once(SHARE)?;
    Some((place, key))
}

/// Puts the fields back that stand in `table`.
pub(super) fn unite<'v>(
    room: Room,
    (head, note): (&str, &str),
    table: Value<'v>,
    value: &mut Value<'v>,
) -> Option<()> {
    let (place, key) = read(head)?;
    let at: Vec<usize> =
        note.strip_prefix(AT)?.split(',').map(|at| at.parse().ok()).collect::<Option<_>>()?;
    let mut known: HashMap<String, (RecordMembers<'v>, usize)> = HashMap::new();
    let Value::Array(rows) = table else { return None };
    for row in rows {
        let size = json::encode(&row).len();
        let Value::Object(mut members) = row else { return None };
        let (name, first) = if members.is_empty() { return None } else { members.remove(0) };
        if name.as_str() != key || members.len() != at.len() {
            return None;
        }
        known.insert(json::encode(&first), (members, size));
    }
    let Value::Array(items) = place::at(value, &place)? else { return None };
    let mut bytes = 0;
    for item in items {
        let Value::Object(members) = item else { return None };
        let (_, value) = members.iter().find(|(name, _)| name.as_str() == key)?;
        let (rest, size) = known.get(&json::encode(value))?;
        bytes += size;
        room.fits(bytes)?;
        for (at, member) in at.iter().zip(rest) {
            if *at > members.len() {
                return None;
            }
            members.insert(*at, member.clone());
        }
    }
    Some(())
}

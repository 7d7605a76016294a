//! A map from keys to lists of records as one list, the key in each record.

use tersely_codec::{Text, Value};

use super::place::{self, PartPlace, RecordMembers};

const WORDS: &str = "each row is in the list under its ";
const EMPTY: &str = "; a row without more is an empty list";

/// Names for the field that holds the key, the first that no record has.
const KEYS: [&str; 3] = ["key", "list_key", "key_of_list"];

/// Fewer lists or records than this stay in their map.
const MIN_LISTS: usize = 3;
const MIN_RECORDS: usize = 6;

/// Makes a list of every map of lists, and says so.
pub(super) fn flatten(value: &mut Value<'_>) -> Vec<String> {
    let places = place::find(value, is_map);
    places.into_iter().filter_map(|place| flatten_at(value, &place)).collect()
}

fn lists<'a, 'v>(value: &'a Value<'v>) -> Option<Vec<(&'a Text<'v>, Vec<&'a RecordMembers<'v>>)>> {
    let Value::Object(members) = value else { return None };
    members.iter().map(|(key, list)| Some((key, place::records(list)?))).collect()
}

fn is_map(value: &Value<'_>) -> bool {
    let Some(lists) = lists(value) else { return false };
    let mut keys: Vec<_> = lists.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    let records = || lists.iter().flat_map(|(_, records)| records);
    lists.len() >= MIN_LISTS
        && records().count() >= MIN_RECORDS
        && records().all(|record| !record.is_empty())
        && keys.windows(2).all(|pair| pair[0] != pair[1])
}

fn flatten_at(value: &mut Value<'_>, place: &PartPlace) -> Option<String> {
    let map = place::at(value, place)?;
    let lists = lists(map)?;
    let has = |name: &str| {
        lists
            .iter()
            .flat_map(|(_, records)| records)
            .any(|record| record.iter().any(|(key, _)| key.as_str() == name))
    };
    let name = *KEYS.iter().find(|name| !has(name))?;
    let mut rows = Vec::new();
    for (key, records) in &lists {
        let first = || (Text::of(name), Value::String((*key).clone()));
        if records.is_empty() {
            rows.push(Value::Object(vec![first()]));
        }
        for record in records {
            rows.push(Value::Object(std::iter::once(first()).chain(record.iter().cloned()).collect()));
        }
    }
    let empty = if lists.iter().any(|(_, records)| records.is_empty()) { EMPTY } else { "" };
    *map = Value::Array(rows);
    Some(place::head(place, &format!("{WORDS}{name}{empty}")))
}

/// Makes the map again that a head speaks of.
pub(super) fn group(head: &str, value: &mut Value<'_>) -> Option<()> {
    let (place, words) = place::read_head(head)?;
    let name = words.strip_prefix(WORDS)?;
    let name = name.strip_suffix(EMPTY).unwrap_or(name);
    let part = place::at(value, &place)?;
    let Value::Array(rows) = std::mem::replace(part, Value::Null) else { return None };
    let mut map: Vec<(Text<'_>, Value<'_>)> = Vec::new();
    for row in rows {
        let Value::Object(members) = row else { return None };
        let mut members = members.into_iter();
        let (first, key) = members.next()?;
        let Value::String(key) = key else { return None };
        if first.as_str() != name {
            return None;
        }
        if map.last().is_none_or(|(last, _)| *last != key) {
            map.push((key, Value::Array(Vec::new())));
        }
        let record: Vec<_> = members.collect();
        if let Some((_, Value::Array(list))) = map.last_mut()
            && !record.is_empty()
        {
            list.push(Value::Object(record));
        }
    }
    *part = Value::Object(map);
    Some(())
}

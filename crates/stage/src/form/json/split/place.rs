//! Finds a part of a document by the keys that lead to it, and says where it is in words.

use tersely_codec::{Text, Value};

/// The keys that lead to a part of a document, through objects alone.
pub(super) type PartPlace = Vec<String>;

/// What an object holds.
pub(super) type RecordMembers<'v> = Vec<(Text<'v>, Value<'v>)>;

/// Objects in objects beyond this many are not searched.
const MAX_DEPTH: usize = 6;

/// The parts that `fits` says yes to, outermost first; what is in one of them is not searched.
pub(super) fn find(value: &Value<'_>, fits: fn(&Value<'_>) -> bool) -> Vec<PartPlace> {
    let mut found = Vec::new();
    gather(value, fits, &mut Vec::new(), &mut found);
    found
}

fn gather(
    value: &Value<'_>,
    fits: fn(&Value<'_>) -> bool,
    place: &mut PartPlace,
    found: &mut Vec<PartPlace>,
) {
    if fits(value) {
        found.push(place.clone());
        return;
    }
    let Value::Object(members) = value else { return };
    if place.len() == MAX_DEPTH {
        return;
    }
    for (key, value) in members.iter().filter(|(key, _)| is_name(key.as_str())) {
        place.push(key.as_str().to_owned());
        gather(value, fits, place, found);
        place.pop();
    }
}

/// True for a key that can be named among words.
pub(super) fn is_name(key: &str) -> bool {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || b"_-$@+".contains(&byte);
    !key.is_empty() && key.len() <= 60 && key.bytes().all(sign)
}

/// The part at a place; `None` when a key is missing or there are two of it.
pub(super) fn at<'a, 'v>(value: &'a mut Value<'v>, place: &[String]) -> Option<&'a mut Value<'v>> {
    let Some((first, rest)) = place.split_first() else { return Some(value) };
    let Value::Object(members) = value else { return None };
    let mut named = members.iter_mut().filter(|(key, _)| key.as_str() == first);
    let (_, value) = named.next()?;
    if named.next().is_some() { None } else { at(value, rest) }
}

/// The records of a list; `None` when an item is none.
pub(super) fn records<'a, 'v>(value: &'a Value<'v>) -> Option<Vec<&'a RecordMembers<'v>>> {
    let Value::Array(items) = value else { return None };
    items.iter().map(|item| if let Value::Object(members) = item { Some(members) } else { None }).collect()
}

/// True for a list of records that is long enough to be worth a line above it.
pub(super) fn is_list(value: &Value<'_>) -> bool {
    matches!(value, Value::Array(items) if items.len() >= MIN_RECORDS) && records(value).is_some()
}

const MIN_RECORDS: usize = 8;

/// A line for a reader: `[in files, each url ends with .git]`, without the first words for the whole document.
pub(super) fn head(place: &[String], words: &str) -> String {
    if place.is_empty() { format!("[{words}]") } else { format!("[in {}, {words}]", place.join(".")) }
}

/// The place and the words of such a line.
pub(super) fn read_head(head: &str) -> Option<(PartPlace, &str)> {
    let inner = head.strip_prefix('[')?.strip_suffix(']')?;
    let Some((place, words)) = inner.strip_prefix("in ").and_then(|rest| rest.split_once(", ")) else {
        return Some((Vec::new(), inner));
    };
    Some((place.split('.').map(str::to_owned).collect(), words))
}

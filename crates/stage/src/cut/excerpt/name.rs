//! Finds names for the records of a list, so that a reader can ask for omitted records.

use std::collections::HashSet;

use tersely_codec::{Text, Value};

/// Maximum length of a name in bytes.
const MAX_NAME_BYTES: usize = 60;

/// The position of the member whose values differ in all records; if there are several, the one with the shortest
/// values.
pub(super) fn field(items: &[Value<'_>]) -> Option<usize> {
    let Value::Object(members) = items.first()? else { return None };
    let length = |at: usize| {
        let mut seen = HashSet::new();
        let lengths = items
            .iter()
            .map(|item| word(item, at, &members[at].0).filter(|word| seen.insert(*word)).map(str::len));
        lengths.sum::<Option<usize>>().map(|length| (length, at))
    };
    (0..members.len()).filter_map(length).min().map(|(_, at)| at)
}

/// The name of a record: the value of its member at `at`.
pub(super) fn of(item: &Value<'_>, at: usize) -> Option<String> {
    let Value::Object(members) = item else { return None };
    let Value::String(text) = &members.get(at)?.1 else { return None };
    text.value().map(std::borrow::Cow::into_owned)
}

/// The string at position `at` of a record, if its key is `key` and it is short.
fn word<'i>(item: &'i Value<'_>, at: usize, key: &Text<'_>) -> Option<&'i str> {
    let Value::Object(members) = item else { return None };
    match members.get(at)? {
        (name, Value::String(text)) if name == key && text.as_str().len() <= MAX_NAME_BYTES => {
            Some(text.as_str())
        }
        _ => None,
    }
}

//! An object that stands in a document twice, said the second time by where it stood first: `same as head.repo`.

use std::collections::HashMap;

use tersely_codec::{Text, Value, json};

use super::place::{self, PartPlace};

const OPEN: &str = "[\"same as ";
const WORDS: &str = "\" stands for the whole value of ";
const SAME: &str = "same as ";

/// A shorter object is better read where it stands.
const MIN_BYTES: usize = 160;

/// Objects in objects beyond this many are not searched.
const MAX_DEPTH: usize = 6;

/// Says later copies of an object by the place of the first, and tells so.
pub(super) fn refer(value: &mut Value<'_>) -> Option<String> {
    if says_same(value) {
        return None;
    }
    let (mut seen, mut first) = (HashMap::new(), None);
    walk(value, &mut Vec::new(), &mut seen, &mut first);
    first.map(|place: String| format!("{OPEN}{place}{WORDS}{place}]"))
}

pub(super) fn is_head(head: &str) -> bool {
    head.starts_with(OPEN) && head.contains(WORDS)
}

/// True when a string of the document begins as ours do.
fn says_same(value: &Value<'_>) -> bool {
    match value {
        Value::String(text) => text.as_str().starts_with(SAME),
        Value::Array(items) => items.iter().any(says_same),
        Value::Object(members) => members.iter().any(|(_, value)| says_same(value)),
        _ => false,
    }
}

fn walk(
    value: &mut Value<'_>,
    place: &mut PartPlace,
    seen: &mut HashMap<String, String>,
    first: &mut Option<String>,
) {
    let Value::Object(members) = value else { return };
    if place.len() == MAX_DEPTH {
        return;
    }
    let mut counts: HashMap<&str, usize> = HashMap::with_capacity(members.len());
    for (key, _) in members.iter() {
        *counts.entry(key.as_str()).or_default() += 1;
    }
    let twice: Vec<bool> = members.iter().map(|(key, _)| counts[key.as_str()] > 1).collect();
    for ((key, value), twice) in members.iter_mut().zip(twice) {
        if twice || !place::is_name(key.as_str()) || !matches!(value, Value::Object(_)) {
            continue;
        }
        place.push(key.as_str().to_owned());
        let text = json::encode(value);
        if let Some(from) = seen.get(&text) {
            *value = Value::String(Text::of(&format!("{SAME}{from}")).into_owned());
            first.get_or_insert_with(|| from.clone());
        } else {
            if text.len() >= MIN_BYTES {
                seen.insert(text, place.join("."));
            }
            walk(value, place, seen, first);
        }
        place.pop();
    }
}

/// Puts the copies back.
pub(super) fn copy(value: &mut Value<'_>) -> Option<()> {
    // The first copies are whole by the time that they are copied themselves: they stand before what refers to them.
    let mut places = Vec::new();
    gather(value, &mut Vec::new(), &mut places);
    for (place, from) in places {
        let from: PartPlace = from.split('.').map(str::to_owned).collect();
        let copied = place::at(value, &from)?.clone();
        *place::at(value, &place)? = copied;
    }
    Some(())
}

fn gather(value: &Value<'_>, place: &mut PartPlace, found: &mut Vec<(PartPlace, String)>) {
    let Value::Object(members) = value else { return };
    for (key, value) in members {
        place.push(key.as_str().to_owned());
        match value {
            Value::String(text) => {
                found.extend(text.as_str().strip_prefix(SAME).map(|from| (place.clone(), from.to_owned())));
            }
            value => gather(value, place, found),
        }
        place.pop();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Comparing each with all others would take minutes.
    #[test]
    fn one_key_many_times_takes_no_time() {
        let members = vec![(Text::of("a").into_owned(), Value::Null); 200_000];
        let begun = Instant::now();
        assert_eq!(refer(&mut Value::Object(members)), None);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}

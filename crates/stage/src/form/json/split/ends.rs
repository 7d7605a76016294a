//! The end that all values of a field share, said once above the rows.

use tersely_codec::{Text, Value};

use super::place::{self, PartPlace, RecordMembers};
use crate::room::Room;

const EACH: &str = "each ";
const WITH: &str = " ends with ";
const LEFT: &str = ", left out below";

/// A shorter end is not worth a line, nor is one that saves fewer bytes in all.
const MIN_END: usize = 6;
const MIN_SAVED: usize = 120;

/// Signs before which a value may be cut, so that what is left of it are whole words.
const CUTS: [char; 8] = ['/', '?', '&', '#', '.', '@', '=', ' '];

/// Takes shared ends off the fields of every list, and says so.
pub(super) fn strip(value: &mut Value<'_>) -> Vec<String> {
    let mut heads = Vec::new();
    for place in place::find(value, place::is_list) {
        let Some(part) = place::at(value, &place) else { continue };
        for (name, end) in shared(part) {
            change(part, &name, |text| text.strip_suffix(&*end).map(str::to_owned));
            heads.push(place::head(&place, &format!("{EACH}{name}{WITH}{end}{LEFT}")));
        }
    }
    heads
}

/// The fields of the records whose values end alike, and how.
fn shared(list: &Value<'_>) -> Vec<(String, String)> {
    let Some(records) = place::records(list) else { return Vec::new() };
    let Some(first) = records.first() else { return Vec::new() };
    let named = first.iter().map(|(key, _)| key.as_str()).filter(|key| place::is_name(key));
    named.filter_map(|name| Some((name.to_owned(), end(&records, name)?.to_owned()))).collect()
}

/// The end of all values of a field, if it is worth a line and no template will say it.
fn end<'a>(records: &[&'a RecordMembers<'_>], name: &str) -> Option<&'a str> {
    let mut end: Option<&str> = None;
    let mut same = true;
    for record in records {
        let text = text(record, name)?;
        let known = end.unwrap_or(text);
        same &= known == text;
        let length = known.bytes().rev().zip(text.bytes().rev()).take_while(|(one, two)| one == two).count();
        let from = (known.len() - length..known.len()).find(|&at| known.is_char_boundary(at))?;
        end = Some(&known[from..]).filter(|end| end.len() >= MIN_END);
        end?;
    }
    let end = end?;
    let end = &end[end.find(CUTS)?..];
    let plain = end.bytes().all(|byte| byte > b' ' && !b"\\\"[]".contains(&byte));
    let worth = end.len() >= MIN_END && end.len() * records.len() >= MIN_SAVED;
    (plain && worth && !same && !is_made(records, name, end)).then_some(end)
}

fn text<'a>(record: &'a [(Text<'_>, Value<'_>)], name: &str) -> Option<&'a str> {
    match record.iter().find(|(key, _)| key.as_str() == name)? {
        (_, Value::String(text)) if text.is_plain() => Some(text.as_str()),
        _ => None,
    }
}

/// True when the value is made of another field's: the terse form says that better.
fn is_made(records: &[&RecordMembers<'_>], name: &str, end: &str) -> bool {
    let made = |record: &RecordMembers<'_>| {
        let stem = text(record, name).and_then(|text| text.strip_suffix(end)).unwrap_or_default();
        record.iter().any(|(key, value)| match value {
            Value::String(other) => {
                key.as_str() != name && other.as_str().len() > 1 && stem.ends_with(other.as_str())
            }
            Value::Number(other) => other.len() > 1 && stem.ends_with(&**other),
            _ => false,
        })
    };
    records.first().is_some_and(|record| made(record)) && records.last().is_some_and(|record| made(record))
}

/// Rewrites the texts of a field in every record of a list; `None` when one cannot be.
fn change(list: &mut Value<'_>, name: &str, mut rewrite: impl FnMut(&str) -> Option<String>) -> Option<()> {
    let Value::Array(items) = list else { return None };
    for item in items {
        let Value::Object(members) = item else { return None };
        let (_, value) = members.iter_mut().find(|(key, _)| key.as_str() == name)?;
        let Value::String(text) = value else { return None };
        let other = rewrite(text.as_str())?;
        *value = Value::String(Text::spelled_as(&other)?.into_owned());
    }
    Some(())
}

pub(super) fn is_head(head: &str) -> bool {
    read(head).is_some()
}

fn read(head: &str) -> Option<(PartPlace, &str, &str)> {
    let (place, words) = place::read_head(head)?;
    let (name, end) = words.strip_prefix(EACH)?.strip_suffix(LEFT)?.split_once(WITH)?;
    Some((place, name, end))
}

/// Puts the end back that a head speaks of.
pub(super) fn add(room: Room, head: &str, value: &mut Value<'_>) -> Option<()> {
    let (place, name, end) = read(head)?;
    let part = place::at(value, &place)?;
    let count = if let Value::Array(items) = &*part { items.len() } else { 0 };
    room.fits(count.checked_mul(end.len())?)?;
    change(part, name, |text| Some([text, end].concat()))
}

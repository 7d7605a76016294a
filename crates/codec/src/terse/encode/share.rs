//! Decides what is written once for all records of a list: shared values, values built from other fields, and
//! prefixes.

use super::derive;
use super::hoist::{Hoist, MIN_RECORDS};
use super::level::{Level, LevelField};
use super::weigh::{TOKEN, weigh};
use crate::terse::flow;
use crate::{Text, Value};

/// Marks the values that all records share, or that are built from other fields, in `level` and the levels below.
pub(super) fn mark_shared(level: &mut Level<'_>) {
    constants(level);
    for (place, hoist) in derive::find(level) {
        if let Some(field) = field_at(level, &place) {
            field.hoist = hoist;
        }
    }
}

/// Marks the values that only cells under a header can omit as well: usual values and prefixes.
pub(super) fn cells(level: &mut Level<'_>) {
    usual(level);
    prefixes(level);
    imply(level);
}

/// For records with keys, keeps a field in the records unless a fact covers it in every record.
pub(super) fn records(level: &mut Level<'_>) {
    restore(level);
    imply(level);
}

fn restore(level: &mut Level<'_>) {
    for field in &mut level.fields {
        if !matches!(field.hoist, Hoist::Same(_) | Hoist::Derived(_)) {
            field.hoist = Hoist::Stored;
            field.below.iter_mut().for_each(restore);
        }
    }
}

fn field_at<'l, 'v>(level: &'l mut Level<'v>, place: &[usize]) -> Option<&'l mut LevelField<'v>> {
    let (&first, rest) = place.split_first()?;
    let field = level.fields.get_mut(first)?;
    if rest.is_empty() { Some(field) } else { field_at(field.below.as_mut()?, rest) }
}

/// Marks the fields that have the same value in all records.
fn constants(level: &mut Level<'_>) {
    let worth = level.size() >= MIN_RECORDS;
    for field in &mut level.fields {
        match same(field) {
            Some(value) if worth => field.hoist = Hoist::Same(value),
            _ => field.below.iter_mut().for_each(constants),
        }
    }
}

/// The value of `field`, if it is the same in all records.
fn same<'v>(field: &LevelField<'v>) -> Option<&'v Value<'v>> {
    let (first, rest) = field.cells.split_first()?;
    let first = (*first)?;
    rest.iter().all(|cell| *cell == Some(first)).then_some(first)
}

/// Marks the stored fields that have the same value in most records.
fn usual(level: &mut Level<'_>) {
    for field in &mut level.fields {
        if field.hoist == Hoist::Stored
            && let Some(value) = most(field)
        {
            field.hoist = Hoist::Usual(value);
        }
        if field.hoist.is_stored() {
            field.below.iter_mut().for_each(usual);
        }
    }
}

/// The minimum share of records that must have the usual value, as a fraction.
const MIN_USUAL_SHARE: (usize, usize) = (2, 3);

/// The scalar or empty array that most records have in `field`, if writing it once saves more than a line costs.
fn most<'v>(field: &LevelField<'v>) -> Option<&'v Value<'v>> {
    let value = majority(&field.cells)?;
    let simple = match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(_) => false,
        _ => true,
    };
    if !simple {
        return None;
    }
    let mut text = String::new();
    flow::push(&mut text, value);
    let (weight, usual) = (weigh(&text), field.values().filter(|other| *other == value).count());
    (usual * MIN_USUAL_SHARE.1 >= MIN_USUAL_SHARE.0 * field.cells.len()
        && usual * weight > 2 * weight + 10 * TOKEN)
        .then_some(value)
}

/// The only value that can be in more than half of the cells; `None` when a cell is empty.
fn majority<'v>(cells: &[Option<&'v Value<'v>>]) -> Option<&'v Value<'v>> {
    let mut lead = 0_usize;
    let mut held = None;
    for cell in cells {
        let value = (*cell)?;
        match held {
            Some(other) if other == value => lead += 1,
            _ if lead == 0 => (held, lead) = (Some(value), 1),
            _ => lead -= 1,
        }
    }
    held
}

/// Marks the stored fields whose values share a prefix.
fn prefixes(level: &mut Level<'_>) {
    for field in &mut level.fields {
        if field.hoist == Hoist::Stored
            && let Some(prefix) = shared_prefix(field)
        {
            field.hoist = Hoist::Prefix(prefix);
        }
        if field.hoist.is_stored() {
            field.below.iter_mut().for_each(prefixes);
        }
    }
}

/// The common prefix of all values of `field`, cut at the end of a word, if it saves more than a line costs.
fn shared_prefix<'v>(field: &LevelField<'v>) -> Option<&'v str> {
    let mut texts = field.values().map(text);
    let mut prefix = texts.next()??.as_str();
    let mut count = 1;
    for text in texts {
        prefix = common(prefix, text?.as_str());
        count += 1;
        if prefix.is_empty() {
            return None;
        }
    }
    let prefix = cut(prefix);
    let weight = weigh(prefix);
    let worth = count > MIN_RECORDS && weight >= 3 * TOKEN && weight * (count - 1) > 8 * TOKEN;
    (worth && !prefix.contains('\\')).then_some(prefix)
}

fn text<'v>(value: &'v Value<'v>) -> Option<&'v Text<'v>> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn common<'v>(one: &'v str, other: &str) -> &'v str {
    let mut length = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    while !one.is_char_boundary(length) {
        length -= 1;
    }
    &one[..length]
}

/// Punctuation after which a value may be cut. None of these characters is part of a word or of an escape.
const CUTS: &str = "/:=?&#-_. ,;";

/// Cuts `prefix` after its last punctuation character, so that the rest of each value starts with a whole word.
fn cut(prefix: &str) -> &str {
    let end = prefix.rfind(|last: char| CUTS.contains(last));
    end.map_or("", |end| &prefix[..=end])
}

/// Marks the inner records that facts describe completely, so that nothing is left to write.
fn imply(level: &mut Level<'_>) {
    let size = level.size();
    for field in &mut level.fields {
        if field.hoist != Hoist::Stored {
            continue;
        }
        let objects = field.values().filter(|value| matches!(value, Value::Object(_))).count();
        if let Some(below) = &mut field.below {
            imply(below);
            let hoisted = below.fields.iter().all(|field| !field.hoist.is_stored());
            if hoisted && objects == size && !below.fields.is_empty() {
                field.hoist = Hoist::Implied;
            }
        }
    }
}

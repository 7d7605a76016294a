//! Adds to each record the values that the lines above the list state once.

use super::facts::{Facts, FieldOrder};
use crate::error::ReadFault;
use crate::scan::TextScan;
use crate::terse::template::TemplatePart;
use crate::{Text, Value};

/// The maximum ratio between the bytes that facts add to a list and its own length. Without a limit, one line about
/// many records could fill any memory.
const MAX_GROWTH_FACTOR: usize = 256;

/// The number of bytes that facts may still add.
struct Room(usize);

impl Room {
    /// Reserves space for a member and its value.
    fn take(&mut self, key: &Text<'_>, value: &Value<'_>) -> Option<()> {
        self.0 = self.0.saturating_sub(key.as_str().len() + size(value));
        (self.0 > 0).then_some(())
    }
}

/// The approximate length of a value as text.
fn size(value: &Value<'_>) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(text) => text.len(),
        Value::String(text) => text.as_str().len() + 2,
        Value::Array(items) => items.iter().fold(2, |sum, item| sum + size(item) + 1),
        Value::Object(members) => {
            members.iter().fold(2, |sum, (key, value)| sum + key.as_str().len() + size(value) + 4)
        }
    }
}

type Members<'a> = Vec<(Text<'a>, Value<'a>)>;

/// The record that encloses the current record, and the key that leads to the current record.
#[derive(Clone, Copy)]
struct Frame<'f, 'a> {
    members: &'f Members<'a>,
    step: &'f Text<'a>,
    up: Option<&'f Frame<'f, 'a>>,
}

impl<'a> Facts<'a> {
    /// Completes all records of the list that starts at byte `start`.
    pub(super) fn complete(
        mut self,
        scan: &TextScan<'a>,
        start: usize,
        mut records: Vec<Value<'a>>,
    ) -> Result<Vec<Value<'a>>, ReadFault> {
        if self.is_empty() {
            return Ok(records);
        }
        let mut room = Room(MAX_GROWTH_FACTOR * (scan.at() - start));
        let fits = records.iter_mut().all(|record| self.begin(record, &mut room).is_some())
            && records.iter_mut().all(|record| self.fill(record, None, &mut room).is_some());
        match fits {
            true => Ok(records),
            false if room.0 == 0 => scan.fail("records that hold less of what is said once"),
            false => scan.fail("records that fit the lines above them"),
        }
    }

    fn is_empty(&self) -> bool {
        let Self { order, same, usual, made, mostly, begins, below, met: _ } = self;
        let constant = same.is_empty() && usual.is_empty() && begins.is_empty();
        order.is_none() && constant && made.is_empty() && mostly.is_empty() && below.is_empty()
    }

    /// Restores prefixes and usual values, and notes the paths at which records exist.
    fn begin(&mut self, value: &mut Value<'a>, room: &mut Room) -> Option<()> {
        match value {
            Value::Array(items) => items
                .iter_mut()
                .filter(|item| matches!(item, Value::Object(_)))
                .try_for_each(|item| self.begin(item, room)),
            Value::Object(members) => {
                self.met = true;
                for (key, prefix) in &self.begins {
                    if let Some(value) = find(members, key) {
                        let Value::String(text) = value else { return None };
                        room.take(key, &Value::String(Text::from_spelling(*prefix)))?;
                        *text = Text::join(format!("{prefix}{}", text.as_str()));
                    }
                }
                for (key, value) in &self.usual {
                    if find(members, key).is_none() {
                        room.take(key, value)?;
                        members.push((key.clone(), value.clone()));
                    }
                }
                self.below.iter_mut().try_for_each(|(key, facts)| match find(members, key) {
                    Some(value) => facts.begin(value, room),
                    None => Some(()),
                })
            }
            _ => Some(()),
        }
    }

    /// Restores all other members.
    fn fill(&self, value: &mut Value<'a>, up: Option<&Frame<'_, 'a>>, room: &mut Room) -> Option<()> {
        match value {
            Value::Array(items) => items
                .iter_mut()
                .filter(|item| matches!(item, Value::Object(_)))
                .try_for_each(|item| self.fill(item, up, room)),
            Value::Object(members) => self.fill_record(members, up, room),
            _ => Some(()),
        }
    }

    fn fill_record(
        &self,
        members: &mut Members<'a>,
        up: Option<&Frame<'_, 'a>>,
        room: &mut Room,
    ) -> Option<()> {
        let lacks = |members: &Members<'a>, key: &Text<'a>| members.iter().all(|(known, _)| known != key);
        let mut made = make(&self.made, members, up);
        let mostly = self.mostly.iter().filter(|(key, _)| lacks(members, key));
        made.extend(make(mostly, members, up));
        made.extend(self.implied_records());
        self.same.iter().chain(&made).try_for_each(|(key, value)| room.take(key, value))?;
        for (key, facts) in &self.below {
            let at = |members: &Members<'a>| members.iter().position(|(known, _)| known == key);
            if let Some(at) = at(members) {
                let mut value = std::mem::replace(&mut members[at].1, Value::Null);
                facts.fill(&mut value, Some(&Frame { members, step: key, up }), room)?;
                members[at].1 = value;
            } else if let Some(at) = at(&made) {
                facts.fill(&mut made[at].1, Some(&Frame { members, step: key, up }), room)?;
            }
        }
        if !self.same.iter().chain(&made).all(|(key, _)| lacks(members, key)) {
            return None;
        }
        let stored = std::mem::take(members);
        members.reserve_exact(self.same.len() + stored.len() + made.len());
        members.extend(self.same.iter().cloned());
        members.extend(stored);
        members.extend(made);
        self.order(members)
    }

    /// The records that no row contains, because facts describe them completely.
    fn implied_records(&self) -> impl Iterator<Item = (Text<'a>, Value<'a>)> + '_ {
        let unmet = self.below.iter().filter(|(_, facts)| !facts.met);
        unmet.map(|(key, _)| (key.clone(), Value::Object(Vec::new())))
    }

    /// Sorts a record's members.
    fn order(&self, members: &mut Members<'a>) -> Option<()> {
        match &self.order {
            None => Some(()),
            Some(FieldOrder::Alphabetical) => {
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                Some(())
            }
            Some(FieldOrder::Named(places)) => {
                let known = members.iter().all(|(key, _)| places.contains_key(key));
                members.sort_by_cached_key(|(key, _)| places.get(key).copied());
                known.then_some(())
            }
        }
    }
}

fn find<'m, 'a>(members: &'m mut Members<'a>, key: &Text<'a>) -> Option<&'m mut Value<'a>> {
    members.iter_mut().find_map(|(known, value)| (known == key).then_some(value))
}

/// Builds the fields that the templates define.
fn make<'t, 'a: 't>(
    templates: impl IntoIterator<Item = &'t (Text<'a>, Vec<TemplatePart<'a>>)>,
    members: &Members<'a>,
    up: Option<&Frame<'_, 'a>>,
) -> Members<'a> {
    let made = templates.into_iter().filter_map(|(key, parts)| {
        let text: Option<String> = parts.iter().map(|part| resolve(part, members, up)).collect();
        text.map(|text| (key.clone(), Value::String(Text::join(text))))
    });
    made.collect()
}

/// The text of one part of a template, for the record with these members.
fn resolve<'f>(
    part: &'f TemplatePart<'_>,
    members: &'f Members<'_>,
    up: Option<&'f Frame<'_, '_>>,
) -> Option<&'f str> {
    match part {
        TemplatePart::Text(text) => Some(text),
        TemplatePart::Field(steps) => {
            let (members, steps) = nearest(members, up, steps);
            field(members, steps)
        }
    }
}

/// Follows `steps` through the enclosing records; returns the innermost record reached, and the remaining steps.
fn nearest<'f, 'a>(
    members: &'f Members<'a>,
    up: Option<&'f Frame<'f, 'a>>,
    steps: &'f [Text<'a>],
) -> (&'f Members<'a>, &'f [Text<'a>]) {
    let Some(frame) = up else { return (members, steps) };
    let (outer, rest) = nearest(frame.members, frame.up, steps);
    let arrived = std::ptr::eq(outer, frame.members);
    match rest.split_first() {
        Some((first, rest)) if arrived && first == frame.step && !rest.is_empty() => (members, rest),
        _ => (outer, rest),
    }
}

fn field<'f>(members: &'f Members<'_>, steps: &[Text<'_>]) -> Option<&'f str> {
    let (first, rest) = steps.split_first()?;
    let (_, value) = members.iter().find(|(key, _)| key == first)?;
    match value {
        _ if rest.is_empty() => value.text(),
        Value::Object(members) => field(members, rest),
        _ => None,
    }
}

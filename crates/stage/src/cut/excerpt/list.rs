//! Cuts the middle out of long lists.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use tersely_codec::{Text, Value};

use crate::cut::excerpt::{Limits, fault, name, string, weigh};
use crate::omit;

/// Maximum number of ranges that a note lists.
const MAX_RANGES: usize = 8;

/// Maximum number of kinds of which the first record is kept.
const MAX_KINDS: usize = 16;

/// A series with no more numbers than this is kept whole.
const MAX_NUMBERS: usize = 200;

/// An object with more members than this is treated as a list, whatever the members are.
const MANY_MEMBERS: usize = 200;

impl Limits {
    /// A list with no more records than this is kept whole.
    fn records(&self) -> usize {
        self.ends.0 + self.ends.1
    }

    /// Shortens a list of records that is too long, and returns a description of the omitted records.
    pub(super) fn list(&self, value: &mut Value<'_>) -> Option<String> {
        match value {
            Value::Array(items) if items.len() > self.records() && !is_series(items) => {
                let big = items.iter().map(weigh).sum::<usize>() > self.list;
                let unit = if items.iter().any(Value::is_scalar) { "items" } else { "records" };
                let field = name::field(items);
                let name = |item: &Value<'_>| name::of(item, field?);
                big.then(|| self.cut(items, (fault::reports_failure, name, fields), unit))?
            }
            // Members form a list if each is a record, or if there are very many of them; otherwise each has its own
            // meaning.
            Value::Object(members) if members.len() > self.records() => {
                let size = members.iter().map(|(_, value)| weigh(value)).sum::<usize>();
                let scalars = members.iter().filter(|(_, value)| value.is_scalar()).count();
                let many = scalars == members.len() && scalars > MANY_MEMBERS;
                let list = scalars == 0 && size > self.list || many && size * 2 > self.list;
                let tells = |(key, value): &(_, Value<'_>)| fault::member_reports_failure(key, value);
                let name = |(key, _): &(Text<'_>, _)| key.value().map(Cow::into_owned);
                let kind = |(_, value): &(_, Value<'_>)| fields(value);
                list.then(|| self.cut(members, (tells, name, kind), "members"))?
            }
            _ => None,
        }
    }

    /// Omits records that are not at either end, are not the first of their kind and do not report a failure. Returns
    /// the positions of the omitted records, and their names if these are short enough.
    fn cut<T>(
        &self,
        items: &mut Vec<T>,
        (reports_failure, name, kind): (
            impl Fn(&T) -> bool,
            impl Fn(&T) -> Option<String>,
            impl Fn(&T) -> String,
        ),
        unit: &str,
    ) -> Option<String> {
        let (count, (head, tail)) = (items.len(), self.ends);
        let (mut gone, mut names) = (Vec::new(), Vec::new());
        let (mut index, mut kinds) = (0, BTreeSet::new());
        items.retain(|item| {
            index += 1;
            let is_first = kinds.len() < MAX_KINDS && kinds.insert(kind(item));
            let keep = index <= head || index > count - tail || is_first || reports_failure(item);
            if !keep {
                gone.push(index);
                names.extend(name(item));
            }
            keep
        });
        let note = format!("{} of {count} {unit}: {}", gone.len(), stretches(&gone));
        let fits = names.len() == gone.len() && names.iter().map(String::len).sum::<usize>() <= self.names;
        match fits {
            _ if gone.is_empty() => None,
            true => Some(format!("{note}; their names: {}", names.join(", "))),
            false => Some(note),
        }
    }

    /// Shortens a series of numbers that is too long, and puts a note in place of the omitted numbers.
    pub(super) fn numbers(&self, items: &mut Vec<Value<'_>>) {
        if items.len() > MAX_NUMBERS.max(self.records()) && is_series(items) {
            let (head, tail) = self.ends;
            let gone = items.len() - head - tail;
            let note = string(&omit::things(gone, "numbers", ""));
            items.splice(head..head + gone, [note]);
        }
    }
}

/// The kind of a record, which is the list of its keys.
fn fields(value: &Value<'_>) -> String {
    let Value::Object(members) = value else { return String::new() };
    members.iter().flat_map(|(key, _)| [key.as_str(), "\n"]).collect()
}

fn is_series(items: &[Value<'_>]) -> bool {
    items.iter().all(|item| matches!(item, Value::Number(_)))
}

/// Formats numbers as ranges: `31 to 120, 122 to 295`.
fn stretches(numbers: &[usize]) -> String {
    let mut out = String::new();
    let parts = numbers.chunk_by(|one, next| one + 1 == *next);
    let count = parts.clone().count();
    for (index, part) in parts.enumerate().take(MAX_RANGES) {
        out.push_str(if index > 0 { ", " } else { "" });
        let _ = match part {
            [one] => write!(out, "{one}"),
            [first, .., last] => write!(out, "{first} to {last}"),
            [] => Ok(()),
        };
    }
    if count > MAX_RANGES {
        out.push_str(" and more");
    }
    out
}

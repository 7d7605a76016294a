//! Encodes a value as STC: keys have no quotes where possible, and arrays of similar elements start with a count.

use std::collections::BTreeSet;
use std::mem::discriminant;

use super::decode::{MAX_COUNT, bare_length};
use crate::json::{push_scalar, push_string};
use crate::{Text, Value};

/// How much white space the encoder writes; the decoder accepts both layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StcLayout {
    /// Spaces after keys, between members and around the row separator.
    Canonical,
    /// No white space at all.
    Tight,
}

/// Writes `value` in the canonical layout; `None` when the value nests too deep.
#[must_use]
pub fn encode(value: &Value<'_>) -> Option<String> {
    encode_as(StcLayout::Canonical, value)
}

/// Writes `value` in `layout`; `None` when the value nests too deep.
#[must_use]
pub fn encode_as(layout: StcLayout, value: &Value<'_>) -> Option<String> {
    if !value.fits() {
        return None;
    }
    let mut out = String::new();
    push_placed(&mut out, layout, "", value);
    Some(out)
}

impl StcLayout {
    fn colon(self) -> &'static str {
        self.pick(": ", ":")
    }

    fn comma(self) -> &'static str {
        self.pick(", ", ",")
    }

    fn slash(self) -> &'static str {
        self.pick(" / ", "/")
    }

    fn pick(self, canonical: &'static str, tight: &'static str) -> &'static str {
        match self {
            Self::Canonical => canonical,
            Self::Tight => tight,
        }
    }
}

/// Writes a value at a place where a counted array is allowed. Any other value is written after `lead`.
fn push_placed(out: &mut String, layout: StcLayout, lead: &str, value: &Value<'_>) {
    if let Value::Array(items) = value
        && items.len() <= MAX_COUNT
    {
        if is_list(items) {
            return push_list(out, layout, items);
        }
        if let Some(columns) = columns(items) {
            return push_table(out, layout, columns, items);
        }
    }
    out.push_str(lead);
    push(out, layout, value);
}

fn is_list(items: &[Value<'_>]) -> bool {
    let Some(first) = items.first() else { return false };
    let counts = matches!(first, Value::String(_) | Value::Number(_) | Value::Bool(_));
    counts && items.iter().all(|item| discriminant(item) == discriminant(first))
}

type Member<'a> = (Text<'a>, Value<'a>);

/// The members of the first row, if their keys can be the header of a table that contains all rows.
fn columns<'v, 'a>(items: &'v [Value<'a>]) -> Option<&'v [Member<'a>]> {
    let first = members(items.first()?);
    let fits =
        !first.is_empty() && items.iter().all(|item| is_row(first, members(item))) && is_distinct(first);
    fits.then_some(first)
}

fn members<'v, 'a>(value: &'v Value<'a>) -> &'v [Member<'a>] {
    match value {
        Value::Object(members) => members,
        _ => &[],
    }
}

fn is_row(columns: &[Member<'_>], row: &[Member<'_>]) -> bool {
    columns.len() == row.len()
        && columns.iter().zip(row).all(|((column, _), (key, cell))| column == key && cell.is_scalar())
}

fn is_distinct(columns: &[Member<'_>]) -> bool {
    let mut seen = BTreeSet::new();
    columns.iter().all(|(key, _)| seen.insert(key))
}

fn push_list(out: &mut String, layout: StcLayout, items: &[Value<'_>]) {
    push_count(out, items.len());
    out.push_str(layout.colon());
    push_joined(out, ",", items, push_scalar);
}

fn push_table(out: &mut String, layout: StcLayout, columns: &[Member<'_>], rows: &[Value<'_>]) {
    push_count(out, rows.len());
    out.push('{');
    push_joined(out, ",", columns, |out, (key, _)| push_key(out, key));
    out.push('}');
    out.push_str(layout.colon());
    push_joined(out, layout.slash(), rows, |out, row| {
        push_joined(out, ",", members(row), |out, (_, cell)| push_scalar(out, cell));
    });
}

fn push_count(out: &mut String, count: usize) {
    out.push('[');
    out.push_str(&count.to_string());
    out.push(']');
}

fn push(out: &mut String, layout: StcLayout, value: &Value<'_>) {
    match value {
        Value::Array(items) => {
            out.push('[');
            push_joined(out, ",", items, |out, item| push(out, layout, item));
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            push_joined(out, layout.comma(), members, |out, (key, value)| {
                push_key(out, key);
                push_placed(out, layout, layout.colon(), value);
            });
            out.push('}');
        }
        scalar => push_scalar(out, scalar),
    }
}

fn push_key(out: &mut String, key: &Text<'_>) {
    let text = key.as_str();
    if !text.is_empty() && bare_length(text) == text.len() {
        out.push_str(text);
    } else {
        push_string(out, key);
    }
}

fn push_joined<T>(out: &mut String, separator: &str, items: &[T], write: impl Fn(&mut String, &T)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        write(out, item);
    }
}

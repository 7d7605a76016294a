//! Writes the facts, which are the lines above a list's records that state once what many records share.

use super::hoist::Hoist;
use super::level::{Level, LevelField};
use super::rows::is_dense;
use crate::terse::bare::{is_bare_key, is_odd_space};
use crate::terse::style::ListStyle;
use crate::terse::{flow, path, words};
use crate::{Text, Value};

/// Writes the facts of a list, one per line; `lead` is the field that comes first in the header, if there is a
/// header.
pub(super) fn print(level: &Level<'_>, style: ListStyle, lead: usize) -> String {
    let mut facts = Facts::default();
    let named = match style.has_header() {
        true if lead > 0 => NamePlace::Astray,
        true => NamePlace::InHeader,
        false => NamePlace::Nowhere,
    };
    facts.collect(level, named, &mut Steps::default());
    let mut out = facts.fields;
    facts.same.print(&mut out, style.each(), words::HAVING);
    facts.usual.print(&mut out, words::UNLESS, &[words::NEXT, words::WHERE].concat());
    out + &facts.made + &facts.mostly + &facts.begins
}

/// Where a reader finds the order of a level's fields.
#[derive(Clone, Copy, PartialEq)]
enum NamePlace {
    InHeader,
    /// In a header, but its first field was moved there, so the header does not give the order.
    Astray,
    Nowhere,
}

impl NamePlace {
    /// Where a reader finds the order of the fields inside these records.
    fn below(self, level: &Level<'_>) -> Self {
        match self {
            Self::InHeader | Self::Astray if is_dense(level) => Self::InHeader,
            _ => Self::Nowhere,
        }
    }
}

/// The path to the records of a level.
#[derive(Default)]
struct Steps<'v> {
    keys: Vec<&'v Text<'v>>,
    /// The number of steps to the innermost part that only some records have.
    partial: usize,
}

/// Values with their paths, grouped by part. A value inside a part that only some records have is listed under that
/// part.
#[derive(Default)]
struct Constants(Vec<(String, String)>);

impl Constants {
    fn add(&mut self, steps: &Steps<'_>, value: &Value<'_>) {
        let mut part = String::new();
        path::push(&mut part, &steps.keys[..steps.partial]);
        let at = self.0.iter().position(|(known, _)| *known == part).unwrap_or_else(|| {
            self.0.push((part, String::new()));
            self.0.len() - 1
        });
        let out = &mut self.0[at].1;
        out.push_str(if out.is_empty() { "" } else { words::NEXT });
        path::push(out, &steps.keys);
        out.push('=');
        flow::push(out, value);
    }

    /// Writes one line for all records, and one line for each part that only some records have.
    fn print(&self, out: &mut String, says: &str, having: &str) {
        let (all, some): (Vec<_>, Vec<_>) = self.0.iter().partition(|(part, _)| part.is_empty());
        for (part, values) in all.into_iter().chain(some) {
            let having = if part.is_empty() { "" } else { having };
            out.extend([says, having, part, ": ", values, "\n"]);
        }
    }
}

#[derive(Default)]
struct Facts {
    fields: String,
    same: Constants,
    usual: Constants,
    made: String,
    mostly: String,
    begins: String,
}

impl Facts {
    /// Collects the facts of a level and of the levels below.
    fn collect<'v>(&mut self, level: &Level<'v>, named: NamePlace, steps: &mut Steps<'v>) {
        self.order(level, named, &steps.keys);
        for field in &level.fields {
            steps.keys.push(field.key);
            self.field(field, steps);
            if let Some(below) = &field.below
                && !matches!(field.hoist, Hoist::Same(_) | Hoist::Derived(_))
            {
                let outer = steps.partial;
                steps.partial = if is_everywhere(field) { outer } else { steps.keys.len() };
                self.collect(below, named.below(below), steps);
                steps.partial = outer;
            }
            steps.keys.pop();
        }
    }

    fn field(&mut self, field: &LevelField<'_>, steps: &Steps<'_>) {
        let keys = &steps.keys;
        match &field.hoist {
            Hoist::Stored | Hoist::Implied => {}
            Hoist::Same(value) => self.same.add(steps, value),
            Hoist::Usual(value) => self.usual.add(steps, value),
            Hoist::Derived(text) => line(&mut self.made, keys, words::MADE, text),
            Hoist::Mostly(text, _) => {
                self.mostly.extend([words::UNLESS, ", "]);
                line(&mut self.mostly, keys, words::MADE, text);
            }
            Hoist::Prefix(text) => line(&mut self.begins, keys, words::BEGINS, text),
        }
    }

    /// Writes the order of a level's fields, unless a reader can derive it from the default order and the header.
    fn order(&mut self, level: &Level<'_>, named: NamePlace, steps: &[&Text<'_>]) {
        let ranks = || level.fields.iter().map(|field| rank(&field.hoist));
        let sorted = ranks().is_sorted() && ranks().filter(|&rank| rank == IMPLIED).count() < 2;
        let partial = level.fields.iter().any(|field| field.hoist.is_partial());
        let told = match named {
            NamePlace::InHeader => true,
            NamePlace::Astray => false,
            NamePlace::Nowhere => !partial,
        };
        if sorted && told {
            return;
        }
        self.fields.push_str(words::FIELDS);
        if !steps.is_empty() {
            self.fields.push_str(words::OF);
            path::push(&mut self.fields, steps);
        }
        self.fields.push_str(": ");
        let keys = || level.fields.iter().map(|field| field.key);
        if keys().is_sorted() && keys().all(|key| is_bare_key(key.as_str())) {
            self.fields.push_str(words::ALPHABETICAL);
        } else {
            for (index, key) in keys().enumerate() {
                self.fields.push_str(if index > 0 { "," } else { "" });
                flow::push_key(&mut self.fields, key);
            }
        }
        self.fields.push('\n');
    }
}

const IMPLIED: usize = 3;

/// The default order: fields that all records share, then fields stored in each record, then fields built from
/// others.
fn rank(hoist: &Hoist<'_>) -> usize {
    match hoist {
        Hoist::Same(_) => 0,
        Hoist::Stored | Hoist::Prefix(_) | Hoist::Usual(_) | Hoist::Mostly(..) => 1,
        Hoist::Derived(_) => 2,
        Hoist::Implied => IMPLIED,
    }
}

/// True when `field` contains an object or an array in every record.
fn is_everywhere(field: &LevelField<'_>) -> bool {
    field.cells.iter().all(|cell| matches!(cell, Some(Value::Object(_) | Value::Array(_))))
}

/// Writes one fact about the field at `steps`. Its text extends to the end of the line, and is in quotes if
/// necessary.
fn line(out: &mut String, steps: &[&Text<'_>], says: &str, text: &str) {
    path::push(out, steps);
    out.push_str(says);
    let open = !text.starts_with(['"', ' '])
        && !text.ends_with(' ')
        && !text.chars().any(|c| c == '\\' || c == '\u{7f}' || is_odd_space(c));
    if open {
        out.push_str(text);
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
    out.push('\n');
}

//! Reads what a body says to us in its own `_tersely` object, and takes that out of the body.
//!
//! What is said wrongly is refused and not passed over: a misspelt name would else change nothing, and nobody would
//! notice. A null says nothing, as if the name were not there.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tersely_core::redact;
use tersely_wire::{BodyMember, top_members};

use crate::overrides::change::PlanOverride;
use crate::overrides::error::OptionError;
use crate::overrides::field::{FIELDS, OPTIONS, PlanField};
use crate::overrides::request_options::RequestOptions;
use crate::overrides::schema_mode::SchemaMode;
use crate::overrides::value::{switch, text, wrong};

/// The names of the object: ours, and the one that clients of Forge send.
const NAMES: [&str; 2] = ["_tersely", "_forge"];

/// How many of a client's own words are kept, and how many characters of their names and values.
const DEBUG: (usize, usize, usize) = (16, 64, 256);

/// True when the body asks something of us, rightly or wrongly.
#[must_use]
pub fn asks_in_body(body: &[u8]) -> bool {
    top_members(&NAMES, body).is_ok_and(|found| !found.is_empty())
}

/// What the body asks for, and the body without that; `None` when it asks for nothing.
///
/// A body that is not JSON is not ours to judge: the provider will say what is wrong with it.
pub(crate) fn take(body: &[u8]) -> Result<Option<(RequestOptions, Vec<u8>)>, OptionError> {
    let found = top_members(&NAMES, body).unwrap_or_default();
    match found.as_slice() {
        [] => Ok(None),
        [member] => Ok(Some((read(member)?, without(body, member)))),
        [first, ..] => Err(OptionError::at(first.name, "use either _tersely or _forge, once")),
    }
}

fn without(body: &[u8], member: &BodyMember<'_>) -> Vec<u8> {
    [&body[..member.span.start], &body[member.span.end..]].concat()
}

fn read(member: &BodyMember<'_>) -> Result<RequestOptions, OptionError> {
    let value = serde_json::from_slice(member.value).map_err(|error| OptionError::at(member.name, error))?;
    let mut asked = RequestOptions::default();
    each(&object(member.name, &value)?, member.name, |at, name, value| match name {
        "tool_output_compression" if value.is_object() => {
            each(&object(at, value)?, at, |at, name, value| option(&mut asked, (at, name), value))
        }
        "tool_output_compression" => {
            text(at, "a mode or an object", value)?;
            option(&mut asked, (at, "mode"), value)
        }
        "schema_compression" => once(&mut asked.schema, at, schema(at, value)),
        "debug" => {
            asked.debug = debug(&object(at, value)?);
            Ok(())
        }
        _ => option(&mut asked, (at, name), value),
    })?;
    Ok(asked)
}

/// One option of how tool results are treated, at `at` under `name`: at the top of the object, or in
/// `tool_output_compression`.
fn option(asked: &mut RequestOptions, (at, name): (&str, &str), value: &Value) -> Result<(), OptionError> {
    if let Some(field) = FIELDS.iter().find(|field| field.asked == Some(name)) {
        return part(&mut asked.change, field, at, value);
    }
    let session = &mut asked.session;
    match name {
        "session_id" => match text(at, "a string", value)?.trim() {
            "" => Ok(()),
            id => once(&mut session.id, at, Ok(id.to_owned())),
        },
        "dedup" => once(&mut session.dedup, at, switch(at, value)),
        "memo" => once(&mut session.memo, at, switch(at, value)),
        "skip_tools" => {
            asked.skip_tools.extend(tools(at, value)?);
            Ok(())
        }
        _ => Err(OptionError::at(at, format!("unknown key; use {OPTIONS}"))),
    }
}

/// One part of how tool results are treated, which nothing may have said before.
fn part(change: &mut PlanOverride, field: &PlanField, at: &str, value: &Value) -> Result<(), OptionError> {
    let said = change.says(field.name);
    change.say(field, |plan| field.place.ask(plan, at, value))?;
    if said { Err(twice(at)) } else { Ok(()) }
}

/// Hands each member that says something to `take`, with its place and its name.
fn each(
    object: &Map<String, Value>,
    at: &str,
    mut take: impl FnMut(&str, &str, &Value) -> Result<(), OptionError>,
) -> Result<(), OptionError> {
    let mut said = object.iter().filter(|(_, value)| !value.is_null());
    said.try_for_each(|(name, value)| take(&format!("{at}.{name}"), name, value))
}

/// Puts a value into a field, which nothing may have said before.
fn once<T>(field: &mut Option<T>, at: &str, value: Result<T, OptionError>) -> Result<(), OptionError> {
    match field.replace(value?) {
        None => Ok(()),
        Some(_) => Err(twice(at)),
    }
}

fn twice(at: &str) -> OptionError {
    OptionError::at(at, "set twice; set it once")
}

/// Names or categories of tools: a list, or one text with commas.
fn tools(at: &str, value: &Value) -> Result<Vec<String>, OptionError> {
    let expected = "a list of tools";
    let names: Vec<&str> = match value {
        Value::Array(items) => items.iter().map(|item| text(at, expected, item)).collect::<Result<_, _>>()?,
        _ => text(at, expected, value)?.split(',').collect(),
    };
    Ok(names.into_iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect())
}

fn object(at: &str, value: &Value) -> Result<Map<String, Value>, OptionError> {
    match value {
        Value::Object(object) => Ok(object.clone()),
        Value::Null => Ok(Map::new()),
        _ => Err(wrong(at, "an object", value)),
    }
}

fn schema(at: &str, value: &Value) -> Result<SchemaMode, OptionError> {
    let word = text(at, "disabled or minify", value)?;
    match word.trim().to_ascii_lowercase().as_str() {
        "disabled" | "off" | "false" | "none" => Ok(SchemaMode::Disabled),
        "minify" => Ok(SchemaMode::Minify),
        _ => Err(wrong(at, "disabled or minify", value)),
    }
}

/// The first of a client's own words, without secrets: nothing depends on them, so what is too much is left out.
fn debug(words: &Map<String, Value>) -> Vec<(String, String)> {
    let (count, name, value) = DEBUG;
    let plain = words.iter().filter(|(key, _)| key.chars().count() <= name).filter_map(|(key, word)| {
        let word = match word {
            Value::String(word) => Cow::Borrowed(word.as_str()),
            Value::Number(_) | Value::Bool(_) => Cow::Owned(word.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        // Masked before it is cut: half a secret is not known for one. What it is called may say that it is one.
        let told = format!("{key}={word}");
        let told = redact(&told);
        let word = told.strip_prefix(key.as_str())?.strip_prefix('=')?;
        Some((key.clone(), word.chars().take(value).collect()))
    });
    plain.take(count).collect()
}

//! Reads the options in a body's `_tersely` object, and removes the object from the body.
//!
//! Invalid options are refused, not ignored: otherwise a misspelt name would go unnoticed. A null value counts as
//! absent.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::{Map, Value};
use tersely_core::redact;
use tersely_wire::{BodyMember, Reading, top_members};

use crate::overrides::change::PlanOverride;
use crate::overrides::error::OptionError;
use crate::overrides::field::{FIELDS, OPTIONS, PlanField};
use crate::overrides::request_options::RequestOptions;
use crate::overrides::schema_mode::SchemaMode;
use crate::overrides::value::{switch, text, wrong};

/// The names of the object: our own, and the one that Forge's clients use.
const NAMES: [&str; 2] = ["_tersely", "_forge"];

/// The maximum number of debug entries, and the maximum number of characters in their names and in their values.
const MAX_DEBUG: (usize, usize, usize) = (16, 64, 256);

/// True when the body has options for us, valid or not.
#[must_use]
pub fn asks_in_body(reading: &Reading<'_>) -> bool {
    reading.error().is_none() && NAMES.iter().any(|name| reading.value(name).is_some())
}

/// True when the beginning of a body may contain the name of an object with options for us. An object that begins later
/// is not found, nor one whose name is written with escapes.
#[must_use]
pub fn may_ask_in(beginning: &[u8]) -> bool {
    let is_ours = |at: usize| NAMES.iter().any(|name| beginning[at + 1..].starts_with(name.as_bytes()));
    // One search for what both names begin with is twice as fast as a search for each.
    memmem::find_iter(beginning, b"\"_").any(is_ours)
}

/// The body's options, and the body without them; `None` when it has none.
///
/// A body that is not JSON is forwarded: the provider will report what is wrong with it.
pub(crate) fn take(reading: &Reading<'_>) -> Result<Option<(RequestOptions, Vec<u8>)>, OptionError> {
    if !asks_in_body(reading) {
        return Ok(None);
    }
    let body = reading.body();
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
        "schema_compression" => set_once(&mut asked.schema, at, schema(at, value)),
        "debug" => {
            asked.debug = debug(&object(at, value)?);
            Ok(())
        }
        _ => option(&mut asked, (at, name), value),
    })?;
    Ok(asked)
}

/// Reads one option for tool results, at the top of the object or in `tool_output_compression`.
fn option(asked: &mut RequestOptions, (at, name): (&str, &str), value: &Value) -> Result<(), OptionError> {
    if let Some(field) = FIELDS.iter().find(|field| field.asked == Some(name)) {
        return part(&mut asked.change, field, at, value);
    }
    let session = &mut asked.session;
    match name {
        "session_id" => match text(at, "a string", value)?.trim() {
            "" => Ok(()),
            id => set_once(&mut session.id, at, Ok(id.to_owned())),
        },
        "dedup" => set_once(&mut session.dedup, at, switch(at, value)),
        "memo" => set_once(&mut session.memo, at, switch(at, value)),
        "skip_tools" => {
            asked.skip_tools.extend(tools(at, value)?);
            Ok(())
        }
        _ => Err(OptionError::at(at, format!("unknown key; use {OPTIONS}"))),
    }
}

/// Sets one field of the plan, which must not be set yet.
fn part(change: &mut PlanOverride, field: &PlanField, at: &str, value: &Value) -> Result<(), OptionError> {
    let is_set = change.sets(field.name);
    change.set(field, |plan| field.place.read(plan, at, value))?;
    if is_set { Err(set_twice(at)) } else { Ok(()) }
}

/// Calls `take` with each member that is not null, with its path and name.
fn each(
    object: &Map<String, Value>,
    at: &str,
    mut take: impl FnMut(&str, &str, &Value) -> Result<(), OptionError>,
) -> Result<(), OptionError> {
    let mut members = object.iter().filter(|(_, value)| !value.is_null());
    members.try_for_each(|(name, value)| take(&format!("{at}.{name}"), name, value))
}

/// Sets an option, which must not be set yet.
fn set_once<T>(field: &mut Option<T>, at: &str, value: Result<T, OptionError>) -> Result<(), OptionError> {
    match field.replace(value?) {
        None => Ok(()),
        Some(_) => Err(set_twice(at)),
    }
}

fn set_twice(at: &str) -> OptionError {
    OptionError::at(at, "set twice; set it once")
}

/// Parses names or categories of tools: a list, or one string with commas.
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

/// The first debug entries, with secrets masked. Nothing depends on them, so entries beyond the limits are dropped.
fn debug(words: &Map<String, Value>) -> Vec<(String, String)> {
    let (count, name, value) = MAX_DEBUG;
    let plain = words.iter().filter(|(key, _)| key.chars().count() <= name).filter_map(|(key, word)| {
        let word = match word {
            Value::String(word) => Cow::Borrowed(word.as_str()),
            Value::Number(_) | Value::Bool(_) => Cow::Owned(word.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        // Secrets are masked before the value is truncated, because half a secret is not recognised. The key helps to
        // recognise a secret.
        let pair = format!("{key}={word}");
        let pair = redact(&pair);
        let word = pair.strip_prefix(key.as_str())?.strip_prefix('=')?;
        Some((key.clone(), word.chars().take(value).collect()))
    });
    plain.take(count).collect()
}

#[cfg(test)]
mod tests {
    use tersely_wire::PROVIDERS;

    use super::*;

    /// Checks whether a body has options, and that its beginning says so from the end of the name on.
    fn check(body: &str, expected: bool) {
        let reading = PROVIDERS[0].read(body.as_bytes());
        assert_eq!(asks_in_body(&reading), expected, "{body}");
        if !expected {
            return;
        }
        let start = NAMES.iter().filter_map(|name| body.find(&format!("\"{name}"))).min().expect("a name");
        let name = if body[start..].starts_with("\"_tersely") { "_tersely" } else { "_forge" };
        let end = start + 1 + name.len();
        for cut in 0..=body.len() {
            assert_eq!(may_ask_in(&body.as_bytes()[..cut]), cut >= end, "{:?}", &body[..cut]);
        }
    }

    #[test]
    fn options_are_seen_in_a_beginning_that_contains_their_name() {
        check(r#"{"_tersely":{}}"#, true);
        check(r#"{ "model":"m" , "_forge" : {"mode":"safe"}}"#, true);
        check(r#"{"messages":[],"_tersely":null}"#, true);
        check(r#"{"messages":[{"role":"user","content":"_tersely"}]}"#, false);
        check(r#"{"tersely":{},"forge":1}"#, false);
        check("", false);
    }

    /// A body whose beginning may have options is read, which costs time; one that is not read must have none.
    #[test]
    fn a_beginning_without_options_is_never_taken_for_one_with() {
        for body in [r#"{"a":"x_tersely"}"#, "_tersely", r#"{"_terse":1}"#, r#"{" _forge":1}"#, "\"", ""] {
            assert!(!may_ask_in(body.as_bytes()), "{body}");
        }
        for body in
            [r#"{"a":{"_tersely":{}}}"#, r#"["_forge"]"#, r#"{"a":"_tersely"}"#, r#"{"a":"\"_forge"}"#]
        {
            assert!(may_ask_in(body.as_bytes()), "{body}: a nested name may still be a real one");
            assert!(!asks_in_body(&PROVIDERS[0].read(body.as_bytes())), "{body}");
        }
    }

    /// Removing the options leaves the other members as they are, wherever the options are.
    #[test]
    fn a_body_without_its_options_is_the_body_of_a_client_that_has_none() {
        for (body, expected) in [
            (r#"{"_tersely":{"mode":"safe"},"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":1,"_tersely":{"mode":"safe"}}"#, r#"{"a":1}"#),
            (r#"{"a":1,"_forge":null,"b":[ 2 ]}"#, r#"{"a":1,"b":[ 2 ]}"#),
            (r#"{"_tersely":{}}"#, "{}"),
        ] {
            let taken = take(&PROVIDERS[0].read(body.as_bytes())).expect("valid options");
            assert_eq!(
                taken.map(|(_, rest)| String::from_utf8_lossy(&rest).into_owned()).as_deref(),
                Some(expected)
            );
        }
        for body in
            [r#"{"_tersely":{},"_forge":{}}"#, r#"{"_tersely":{},"_tersely":{}}"#, r#"{"_tersely":7}"#]
        {
            assert!(take(&PROVIDERS[0].read(body.as_bytes())).is_err(), "{body}");
        }
        assert_eq!(
            take(&PROVIDERS[0].read(br#"{"_tersely":{"#)),
            Ok(None),
            "what is no JSON is the provider's to refuse"
        );
    }
}

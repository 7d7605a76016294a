//! Long texts below the document, with their lines as lines: what stands in several of them is said once.

use std::collections::HashMap;

use tersely_codec::{Text, Value};

use crate::call::Call;
use crate::form::again;
use crate::read::source;
use crate::room::Room;

/// What tells a reader of them.
pub(super) const HEAD: &str =
    "[\"text 1 below\" stands for the lines under \"text 1:\" at the end, and so on]";

const OPEN: &str = "text ";
const BELOW: &str = " below";
const RETURNS: &str = " with CRLF";

/// A text has at least so many lines and bytes.
const MIN_LINES: usize = 3;
const MIN_BYTES: usize = 160;

/// The texts of a document, in order, each once.
pub(super) struct Texts(Vec<String>);

/// Takes long texts out of a document; `None` when there are none. A single one is `wrapped`, and its lines can be named.
pub(super) fn take(value: &mut Value<'_>) -> Option<Texts> {
    let mut long = 0;
    each(value, &mut |text| {
        long += usize::from(lines(text).is_some());
        Some(())
    })?;
    if long < 2 {
        return None;
    }
    let mut numbers = HashMap::new();
    let mut texts = Vec::new();
    each(value, &mut |text| {
        if read(text.as_str()).is_some() {
            return None;
        }
        let Some((lines, returns)) = lines(text) else { return Some(()) };
        let number = *numbers.entry(lines).or_insert_with_key(|lines: &String| {
            texts.push(lines.clone());
            texts.len()
        });
        let name = format!("{OPEN}{number}{BELOW}{}", if returns { RETURNS } else { "" });
        *text = Text::spelled_as(&name)?.into_owned();
        Some(())
    })?;
    (!texts.is_empty()).then_some(Texts(texts))
}

/// A long text with its lines as lines, and whether each ended with CRLF.
fn lines(text: &Text<'_>) -> Option<(String, bool)> {
    let spelled = text.as_str();
    if spelled.len() < MIN_BYTES || spelled.matches("\\n").count() + 1 < MIN_LINES {
        return None;
    }
    let plain = text.value()?;
    let returns = plain.contains('\r');
    let lines = if returns { plain.replace("\r\n", "\n") } else { plain.into_owned() };
    let odd = lines.chars().any(|sign| sign.is_control() && !matches!(sign, '\n' | '\t'));
    let same = !returns || lines.replace('\n', "\r\n") == text.value()?;
    (same && !odd).then_some((lines, returns))
}

impl Texts {
    /// The texts, each below its number. What an agent may edit keeps all of its lines.
    pub(super) fn write(&self, call: Call<'_>) -> String {
        let mut out = String::new();
        for (at, text) in self.0.iter().enumerate() {
            out.push_str(if at > 0 { "\n" } else { "" });
            out.extend([OPEN, &(at + 1).to_string(), ":\n", text]);
        }
        if self.0.iter().any(|text| source::is_source(call, text)) {
            return out;
        }
        let all: Vec<&str> = out.split('\n').collect();
        again::shorten(&all).unwrap_or(out)
    }
}

/// Puts the texts back that stand in `below`.
pub(super) fn put(room: Room, below: &str, value: &mut Value<'_>) -> Option<()> {
    let whole = again::lengthen(room, below)?;
    let mut texts: Vec<String> = Vec::new();
    for line in whole.split('\n') {
        let next = format!("{OPEN}{}:", texts.len() + 1);
        match texts.last_mut() {
            _ if line == next => texts.push(String::new()),
            Some(text) => text.extend([line, "\n"]),
            None => return None,
        }
    }
    for text in &mut texts {
        text.truncate(text.len().saturating_sub(1));
    }
    let mut bytes = 0;
    each(value, &mut |text| {
        let Some((number, returns)) = read(text.as_str()) else { return Some(()) };
        let lines = texts.get(number.checked_sub(1)?)?;
        let lines = if returns { lines.replace('\n', "\r\n") } else { lines.clone() };
        bytes += lines.len();
        room.fits(bytes)?;
        *text = Text::of(&lines).into_owned();
        Some(())
    })
}

/// The number in `text 12 below`, and whether its lines end with CRLF.
fn read(text: &str) -> Option<(usize, bool)> {
    let inner = text.strip_prefix(OPEN)?;
    let (inner, returns) = inner.strip_suffix(RETURNS).map_or((inner, false), |inner| (inner, true));
    Some((inner.strip_suffix(BELOW)?.parse().ok()?, returns))
}

/// Visits every string that is no key.
fn each<'v>(value: &mut Value<'v>, visit: &mut dyn FnMut(&mut Text<'v>) -> Option<()>) -> Option<()> {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter_mut().try_for_each(|item| each(item, visit)),
        Value::Object(members) => members.iter_mut().try_for_each(|(_, value)| each(value, visit)),
        _ => Some(()),
    }
}

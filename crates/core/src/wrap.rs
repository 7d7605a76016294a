//! A text that a tool wrapped in JSON, taken out of it: `{"content":[{"type":"text","text":"…"}]}`.
//!
//! Inside a JSON string every line end and quote is escaped and no stage can see what the text is. The wrapping
//! goes into the mark, on one line, with `(below)` where the text stood; a copy of the text elsewhere in the
//! wrapping, as servers send it beside structured content, is `(below)` too.

use tersely_codec::json::Layout;
use tersely_codec::{Text, Value, json};

/// Stands for the text in what is left of the wrapping.
const BELOW: &str = "(below)";

/// Shorter texts are not worth a line.
const MIN_BYTES: usize = 200;

/// The wrapping of `text`, for its mark, and the text inside.
pub(crate) fn unwrap(text: &str) -> Option<(String, String)> {
    if text.len() < MIN_BYTES || !text.starts_with(['{', '[']) {
        return None;
    }
    let mut value = json::decode(text).ok()?;
    let layout = Layout::of(text, &value)?;
    let inside = longest(&value)?.to_owned();
    let most = inside.len() >= MIN_BYTES && 2 * inside.len() * copies(&value, &inside) > text.len();
    if !most || copies(&value, BELOW) > 0 {
        return None;
    }
    swap(&mut value, &inside, &Text::of(BELOW));
    let plain = Text::spelled_as(&inside)?.value()?.into_owned();
    Some((format!("{layout}; {}", json::encode(&value)), plain))
}

/// The JSON text that `inside` was taken out of.
pub(crate) fn rewrap(note: &str, inside: &str) -> Option<String> {
    let (layout, wrapping) = note.split_once("; ")?;
    let layout: Layout = layout.parse().ok()?;
    let mut value = json::decode(wrapping).ok()?;
    swap(&mut value, BELOW, &Text::of(inside));
    Some(layout.write(&value))
}

/// The longest string in a value, as JSON spells it.
fn longest<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::String(text) => Some(text.as_str()),
        Value::Array(items) => items.iter().filter_map(longest).max_by_key(|text| text.len()),
        Value::Object(members) => {
            members.iter().filter_map(|(_, value)| longest(value)).max_by_key(|text| text.len())
        }
        _ => None,
    }
}

/// How many strings of a value JSON spells `wanted`.
fn copies(value: &Value<'_>, wanted: &str) -> usize {
    match value {
        Value::String(text) => usize::from(text.as_str() == wanted),
        Value::Array(items) => items.iter().map(|item| copies(item, wanted)).sum(),
        Value::Object(members) => members.iter().map(|(_, value)| copies(value, wanted)).sum(),
        _ => 0,
    }
}

/// Puts `new` in the place of every string that JSON spells `old`.
fn swap<'a>(value: &mut Value<'a>, old: &str, new: &Text<'a>) {
    match value {
        Value::String(text) if text.as_str() == old => *text = new.clone(),
        Value::Array(items) => items.iter_mut().for_each(|item| swap(item, old, new)),
        Value::Object(members) => members.iter_mut().for_each(|(_, value)| swap(value, old, new)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_out_and_go_back() {
        let long = "a line with \\\"quotes\\\"\\nand another\\n".repeat(20);
        for (text, note) in [
            (
                format!(r#"{{"content":[{{"type":"text","text":"{long}"}}]}}"#),
                r#"compact; {"content":[{"type":"text","text":"(below)"}]}"#,
            ),
            (
                format!(r#"{{"a": "{long}", "b": {{"c": "{long}"}}}}"#),
                r#"spaced; {"a":"(below)","b":{"c":"(below)"}}"#,
            ),
        ] {
            let (wrapping, inside) = unwrap(&text).unwrap();
            assert_eq!(wrapping, note);
            assert!(inside.starts_with("a line with \"quotes\"\nand another\n"));
            assert_eq!(rewrap(&wrapping, &inside), Some(text));
        }
    }

    #[test]
    fn what_is_mostly_something_else_stays() {
        let long = "x".repeat(300);
        for text in [
            format!(r#"{{"a":"{long}","b":"{long}y","c":"{long}z"}}"#),
            format!(r#"{{"a":"{long}","b":"(below)"}}"#),
            r#"{"a":"short"}"#.to_owned(),
            format!(r#"{{"a":"{long}\ud800"}}"#),
        ] {
            assert_eq!(unwrap(&text), None, "{text}");
        }
    }
}

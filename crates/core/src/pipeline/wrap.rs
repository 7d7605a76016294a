//! Takes a text out of the JSON that a tool wrapped it in: `{"content":[{"type":"text","text":"…"}]}`.
//!
//! Inside a JSON string, every line end and quote is escaped, so no stage recognises the text. The wrapping is sent
//! above the text, on one line, with `(below)` in place of the text. Servers often send the same text twice, once as
//! structured content: a copy of the text is `(below)` too, and structured content equal to it is `(below, as JSON)`.

use tersely_codec::json::Layout;
use tersely_codec::{Text, Value, json};
use tersely_stage::Room;

/// The placeholder for the text in its wrapping.
const BELOW: &str = "(below)";

/// The placeholder for structured content that equals the text, when the text is JSON.
const TWIN: &str = "(below, as JSON)";

/// The minimum length of a text to unwrap; a shorter one is not worth the line for its wrapping.
const MIN_BYTES: usize = 200;

/// A text and the JSON that it was wrapped in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrappedText {
    /// The line that is sent above the text and contains the wrapping.
    pub(crate) head: String,
    /// The layout of the JSON, needed to restore it.
    pub(crate) note: String,
    pub(crate) inside: String,
}

/// Takes a text out of its wrapping.
pub(crate) fn unwrap(text: &str) -> Option<WrappedText> {
    if text.len() < MIN_BYTES || !text.starts_with(['{', '[']) || !is_wrapping(text) {
        return None;
    }
    let mut value = json::decode(text).ok()?;
    let inside = longest(&value)?.to_owned();
    let plain = Text::spelled_as(&inside)?.value()?.into_owned();
    let twin = json::decode(&plain).ok().filter(|twin| !twin.is_scalar());
    let twins = twin.as_ref().map_or(0, |twin| twins(&value, twin) * json::encode(twin).len());
    let most = inside.len() >= MIN_BYTES && 2 * (inside.len() * copies(&value, &inside) + twins) > text.len();
    if !most || copies(&value, BELOW) + copies(&value, TWIN) > 0 {
        return None;
    }
    let layout = Layout::of(text, &value)?;
    swap(&mut value, &inside, &Text::of(BELOW));
    if let Some(twin) = &twin {
        hide(&mut value, twin);
    }
    let head = json::encode(&value);
    drop(twin);
    Some(WrappedText { head, note: layout.to_string(), inside: plain })
}

/// True when JSON may be the wrapping of a text. It only scans the strings, so that most JSON need not be parsed here.
fn is_wrapping(text: &str) -> bool {
    let (mut longest, mut copies) = (0, 0);
    let mut rest = text.bytes();
    while rest.any(|byte| byte == b'"') {
        let start = rest.len();
        while let Some(byte) = rest.next().filter(|&byte| byte != b'"') {
            if byte == b'\\' {
                rest.next();
            }
        }
        let length = start - rest.len();
        copies = if length > longest { 1 } else { copies + usize::from(length == longest) };
        longest = longest.max(length);
    }
    longest >= MIN_BYTES && 3 * longest * copies > text.len()
}

/// Undoes `unwrap`.
pub(crate) fn rewrap(room: Room, (note, head): (&str, &str), inside: &str) -> Option<String> {
    let layout: Layout = note.parse().ok()?;
    let mut value = json::decode(head).ok()?;
    let (texts, twins) = (copies(&value, BELOW), copies(&value, TWIN));
    room.fits(inside.len().checked_mul(texts.checked_add(twins)?)?)?;
    swap(&mut value, BELOW, &Text::of(inside));
    if twins > 0 {
        show(&mut value, &json::decode(inside).ok()?);
    }
    layout.write_within(room.bytes(), &value)
}

/// The longest string in a value, in its escaped form.
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

/// The number of strings in a value that equal `wanted`, compared in their escaped form.
fn copies(value: &Value<'_>, wanted: &str) -> usize {
    match value {
        Value::String(text) => usize::from(text.as_str() == wanted),
        Value::Array(items) => items.iter().map(|item| copies(item, wanted)).sum(),
        Value::Object(members) => members.iter().map(|(_, value)| copies(value, wanted)).sum(),
        _ => 0,
    }
}

/// The number of parts of a value that equal `twin`.
fn twins(value: &Value<'_>, twin: &Value<'_>) -> usize {
    match value {
        value if is_same(value, twin) => 1,
        Value::Array(items) => items.iter().map(|item| twins(item, twin)).sum(),
        Value::Object(members) => members.iter().map(|(_, value)| twins(value, twin)).sum(),
        _ => 0,
    }
}

/// Compares values that borrow from different texts.
fn is_same<'v>(one: &Value<'v>, other: &Value<'v>) -> bool {
    one == other
}

/// Replaces every part that equals `twin` with [`TWIN`].
fn hide(value: &mut Value<'_>, twin: &Value<'_>) {
    if is_same(value, twin) {
        *value = Value::String(Text::of(TWIN));
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| hide(item, twin)),
        Value::Object(members) => members.iter_mut().for_each(|(_, value)| hide(value, twin)),
        _ => {}
    }
}

/// Replaces every [`TWIN`] with `twin`.
fn show<'a>(value: &mut Value<'a>, twin: &Value<'a>) {
    match value {
        Value::String(text) if text.as_str() == TWIN => *value = twin.clone(),
        Value::Array(items) => items.iter_mut().for_each(|item| show(item, twin)),
        Value::Object(members) => members.iter_mut().for_each(|(_, value)| show(value, twin)),
        _ => {}
    }
}

/// Replaces every string that equals `old`, compared in its escaped form, with `new`.
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
        for (text, expected) in [
            (
                format!(r#"{{"content":[{{"type":"text","text":"{long}"}}]}}"#),
                ("compact", r#"{"content":[{"type":"text","text":"(below)"}]}"#),
            ),
            (
                format!(r#"{{"a": "{long}", "b": {{"c": "{long}"}}}}"#),
                ("spaced", r#"{"a":"(below)","b":{"c":"(below)"}}"#),
            ),
        ] {
            let WrappedText { head, note, inside } = unwrap(&text).unwrap();
            assert_eq!((&*note, &*head), expected);
            assert!(inside.starts_with("a line with \"quotes\"\nand another\n"));
            assert_eq!(rewrap(Room::of(&text), (&note, &head), &inside), Some(text));
        }
    }

    #[test]
    fn structured_content_is_said_once() {
        let rows: Vec<_> = (0..20).map(|n| format!("{{\"id\":{n},\"kind\":\"cat\"}}")).collect();
        let rows = format!("[{}]", rows.join(","));
        let (spelled, wide) = (rows.replace('"', "\\\""), rows.replace(',', ", ").replace(':', ": "));
        let text =
            format!(r#"{{"content": [{{"text": "{spelled}"}}], "structuredContent": {{"result": {wide}}}}}"#);
        let WrappedText { head, note, inside } = unwrap(&text).unwrap();
        assert_eq!(
            head,
            r#"{"content":[{"text":"(below)"}],"structuredContent":{"result":"(below, as JSON)"}}"#
        );
        assert_eq!((&*inside, rewrap(Room::of(&text), (&note, &head), &inside)), (&*rows, Some(text)));
        assert_eq!(rewrap(Room::of("x"), (&note, &head), "no JSON"), None);
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

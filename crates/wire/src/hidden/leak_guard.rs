//! Checks the bytes that go to a client, so that a hidden call does not leak when the response could not be parsed.
//!
//! Parsers forward the data that they do not understand. This is right for everything except a call of the hidden
//! tool. Only bytes that contain the tool's name, or numeric escapes that may encode it, are checked.

use std::borrow::Cow;

use memchr::memmem;
use serde::de::IgnoredAny;
use serde_json::Value;
use tersely_json::{is_escaped, string};

use crate::hidden::names::HiddenNames;
use crate::protocol::event_format::EventFormat;
use crate::protocol::framing::{EventFrame, EventFrames};

/// Normalises bytes that mention the tool, so that every parser reads them as clients do: of two members with the
/// same name the last one counts, and invalid characters are replaced. Other bytes stay unchanged.
pub(crate) fn alike(names: HiddenNames, bytes: &[u8]) -> Cow<'_, [u8]> {
    if !mentions(names, bytes) {
        return Cow::Borrowed(bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if count(&value) < colons(bytes) => Cow::Owned(value.to_string().into_bytes()),
        _ => match text {
            Cow::Borrowed(_) => Cow::Borrowed(bytes),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        },
    }
}

/// Normalises the data of an event, like [`alike`].
pub(crate) fn alike_event(names: HiddenNames, frame: EventFrame<'_>) -> Cow<'_, [u8]> {
    let data = frame.data().unwrap_or_default();
    match alike(names, &data) {
        Cow::Borrowed(_) => Cow::Borrowed(frame.raw),
        Cow::Owned(data) => {
            let mut event = Vec::new();
            frame.write_other(&data, &mut event);
            Cow::Owned(event)
        }
    }
}

/// True when a client would find a call of the tool in these bytes. They are read both as one value and as events,
/// because the content type and the first bytes may be misleading.
pub(crate) fn shows(names: HiddenNames, format: EventFormat, bytes: &[u8]) -> bool {
    let mut found = has_call(names, bytes);
    // The names in wrapped data are encoded, so a search in the raw bytes would miss them.
    if !found && (format == EventFormat::AwsWrapped || mentions(names, bytes)) {
        EventFrames::of(format)
            .take(bytes, |frame| found |= has_call(names, &frame.data().unwrap_or_default()));
    }
    found
}

fn has_call(names: HiddenNames, bytes: &[u8]) -> bool {
    mentions(names, bytes)
        && serde_json::from_slice(bytes)
            .map_or_else(|_| is_broken(names, bytes), |value| calls(names, &value))
}

/// True for an invalid JSON object that contains the tool's name as a string. It is unclear where strings begin in
/// invalid JSON, so the bytes between any two neighbouring quotes count as a string.
fn is_broken(names: HiddenNames, bytes: &[u8]) -> bool {
    if !bytes.trim_ascii_start().starts_with(b"{") || serde_json::from_slice::<IgnoredAny>(bytes).is_ok() {
        return false;
    }
    let quotes: Vec<_> = memchr::memchr_iter(b'"', bytes).filter(|at| !is_escaped(&bytes[..*at])).collect();
    quotes.windows(2).any(|ends| {
        serde_json::from_slice::<String>(&bytes[ends[0]..=ends[1]]).is_ok_and(|string| names.has(&string))
    })
}

fn mentions(names: HiddenNames, bytes: &[u8]) -> bool {
    names.all().any(|name| memmem::find(bytes, name.as_bytes()).is_some())
        || memmem::find(bytes, b"\\u00").is_some()
}

/// True when the value has a call of the tool in any place where a client of any provider looks for calls.
fn calls(names: HiddenNames, value: &Value) -> bool {
    let is_named = |call: &Value| call["name"].as_str().is_some_and(|name| names.has(name));
    let is_item =
        |item: &Value| is_named(item) && (item["type"] == "tool_use" || item["type"] == "function_call");
    let is_tool_call = |call: &Value| is_named(&call["function"]);
    let has_tool_call = |message: &Value| items(&message["tool_calls"]).iter().any(is_tool_call);
    let is_asking = |choice: &Value| has_tool_call(&choice["message"]) || has_tool_call(&choice["delta"]);
    let has_part = |candidate: &Value| {
        items(&candidate["content"]["parts"]).iter().any(|part| is_named(&part["functionCall"]))
    };
    let is_use = |block: &Value| is_named(&block["toolUse"]);
    if items(&value["output"]["message"]["content"]).iter().any(is_use) || is_use(&value["start"]) {
        return true;
    }
    [value, &value["response"], &value["message"]].iter().any(|top| {
        [&top["content"], &top["output"]].into_iter().flat_map(items).any(is_item)
            || is_item(&top["content_block"])
            || is_item(&top["item"])
            || items(&top["choices"]).iter().any(is_asking)
            || items(&top["candidates"]).iter().any(has_part)
    })
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Counts the members of all objects in a value.
fn count(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.len() + members.values().map(count).sum::<usize>(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// Counts the members of all objects in a JSON text: the colons outside of strings.
fn colons(bytes: &[u8]) -> usize {
    let (mut count, mut at) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        if *byte == b'"' {
            at = string::end(bytes, at).unwrap_or(bytes.len());
            continue;
        }
        count += usize::from(*byte == b':');
        at += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: HiddenNames = HiddenNames::new(&["tool"]);

    #[test]
    fn of_two_members_the_last_counts() {
        let check = |body: &str, expected: &str| {
            assert_eq!(String::from_utf8_lossy(&alike(TOOL, body.as_bytes())), expected);
        };
        check(r#"{"a":1,"b":"tool","a":2}"#, r#"{"a":2,"b":"tool"}"#);
        check(r#"{"a" : 1,"b":"tool: \":\""}"#, r#"{"a" : 1,"b":"tool: \":\""}"#);
        check(r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#);
        check(r#"{"b":"tool","a":2"#, r#"{"b":"tool","a":2"#);
        assert_eq!(&*alike(TOOL, b"{\"a\":\"tool\xff\"}"), "{\"a\":\"tool\u{fffd}\"}".as_bytes());
        let event = EventFrame::sse(b"event: x\ndata: {\"a\":\"tool\",\ndata: \"a\":1}\n\n");
        assert_eq!(&*alike_event(TOOL, event), b"event: x\ndata: {\"a\":1}\n\n");
    }

    /// Behaviour 7.3: no client can read such an event, but its bytes would reveal the tool.
    #[test]
    fn a_broken_event_does_not_name_the_tool() {
        for (body, expected) in [
            (r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"tool","args":}}]}}]}"#, true),
            (r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name" : "t\u006fol","#, true),
            (r#"{"content_block":{"x":","type":"tool_use","name":"tool"}"#, true),
            (r#"{"candidates":[{"content":{"parts":[{"text":"say \"tool\" or tool","#, false),
            (r#"{"tools":[{"type":"function","name":"tool"}],"text":"\ud800","x":1e999}"#, false),
            (r#"{"functionCall":{"name":"tools","args":}}"#, false),
            (r#"not JSON: "tool""#, false),
        ] {
            assert_eq!(shows(TOOL, EventFormat::Sse, body.as_bytes()), expected, "{body}");
            let event = format!("data: {body}\n\n");
            assert_eq!(shows(TOOL, EventFormat::Sse, event.as_bytes()), expected, "{event}");
        }
    }

    #[test]
    fn calls_are_seen_in_every_shape() {
        for body in [
            r#"{"content":[{"type":"tool_use","name":"tool","input":{}}]}"#,
            r#"{"content_block":{"type":"tool_use","name":"to\u006fl"}}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"tool"}}]}}]}"#,
            r#"{"response":{"output":[{"type":"function_call","name":"tool"}]}}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"tool"}}]}}]}"#,
            r#"{"output":{"message":{"content":[{"text":"x"},{"toolUse":{"name":"tool"}}]}}}"#,
            r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"t","name":"tool"}}}"#,
        ] {
            assert!(shows(TOOL, EventFormat::Sse, body.as_bytes()), "{body}");
            for (format, before) in
                [(EventFormat::Sse, &b": x\n\n"[..]), (EventFormat::Aws, b""), (EventFormat::AwsWrapped, b"")]
            {
                let mut event = before.to_vec();
                format.write("x", body, &mut event);
                assert!(shows(TOOL, format, &event), "{format:?} {body}");
            }
        }
        for body in [
            r#"{"content":[{"type":"text","text":"tool"}]}"#,
            r#"{"content":[{"type":"tool_use","name":"tools"}]}"#,
            r#"{"content":[{"type":"tool_use","name":"x","input":{"type":"tool_use","name":"tool"}}]}"#,
            r#"{"other":[{"type":"tool_use","name":"tool"}]}"#,
            r#"{"tools":[{"type":"function","function":{"name":"tool","parameters":{}}}]}"#,
            r#"{"tools":[{"type":"function","name":"tool"}]}"#,
            "tool",
        ] {
            assert!(!shows(TOOL, EventFormat::Sse, body.as_bytes()), "{body}");
        }
    }
}

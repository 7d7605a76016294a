//! Counts the tokens that a model reads in a part of a request.

use serde_json::{Map, Value};
use tersely_core::O200k;

/// Counts the tokens of a message: texts, reasoning, calls and results. Opaque data is not counted, such as signatures,
/// encrypted reasoning and images. For anything other than a message, such as a list of tools, the JSON is counted.
#[must_use]
pub fn weigh(part: &[u8]) -> usize {
    let Ok(value) = serde_json::from_slice::<Value>(part) else {
        return O200k.count(&String::from_utf8_lossy(part));
    };
    if value["role"].is_string() {
        return texts(&value["content"]) + texts(&value["parts"]) + calls(&value["tool_calls"]);
    }
    item(&value).unwrap_or_else(|| O200k.count(&String::from_utf8_lossy(part)))
}

/// Counts the tokens of a content block.
#[must_use]
pub fn weigh_block(part: &[u8]) -> usize {
    serde_json::from_slice(part).map_or(0, |value| block(&value))
}

/// Counts the tokens of a Responses API item that is not a message.
fn item(item: &Value) -> Option<usize> {
    let kind = item["type"].as_str()?;
    Some(match kind {
        "reasoning" => texts(&item["summary"]) + texts(&item["content"]),
        _ if kind.ends_with("_output") => texts(&item["output"]),
        _ => texts(&item["name"]) + texts(&item["arguments"]) + texts(&item["input"]),
    })
}

/// Counts the tokens of a message's content, which is a string or a list of blocks.
fn texts(content: &Value) -> usize {
    match content {
        Value::String(text) => O200k.count(text),
        Value::Array(blocks) => blocks.iter().map(block).sum(),
        _ => 0,
    }
}

fn block(block: &Value) -> usize {
    let (call, response) = (&block["functionCall"], &block["functionResponse"]);
    match block["type"].as_str() {
        None if call.is_object() => texts(&call["name"]) + O200k.count(&call["args"].to_string()),
        None if response.is_object() => response["response"].as_object().map_or(0, responses),
        Some("thinking") => texts(&block["thinking"]),
        Some("tool_use") => texts(&block["name"]) + O200k.count(&block["input"].to_string()),
        Some("tool_result") => texts(&block["content"]),
        _ => texts(&block["text"]),
    }
}

/// Counts the tokens of a tool response in Gemini's format: texts, and all other values as JSON.
fn responses(response: &Map<String, Value>) -> usize {
    let count = |value: &Value| {
        value.as_str().map_or_else(|| O200k.count(&value.to_string()), |text| O200k.count(text))
    };
    response.values().map(count).sum()
}

fn calls(calls: &Value) -> usize {
    let calls = calls.as_array().into_iter().flatten();
    calls.map(|call| texts(&call["function"]["name"]) + texts(&call["function"]["arguments"])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(part: &str, texts: &[&str]) {
        let expected: usize = texts.iter().map(|text| O200k.count(text)).sum();
        assert_eq!(weigh(part.as_bytes()), expected, "{part}");
    }

    #[test]
    fn all_that_is_read_counts() {
        check(r#"{"role":"user","content":"How are you?"}"#, &["How are you?"]);
        check(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm, well","signature":"AAAAAAAA"},
            {"type":"tool_use","id":"t1","name":"Bash","input":{"command": "ls"}}]}"#,
            &["hm, well", "Bash", r#"{"command":"ls"}"#],
        );
        check(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a b c"},
            {"type":"image","source":{"data":"AAAA"}}]},{"type":"text","text":"go on"}]}"#,
            &["a b c", "go on"],
        );
        check(
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]}"#,
            &["f", r#"{"a":1}"#],
        );
        check(r#"[{"name":"Bash"}]"#, &[r#"[{"name":"Bash"}]"#]);
    }

    #[test]
    fn items_and_parts_are_read_as_well() {
        check(
            r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}"#,
            &["f", r#"{"a":1}"#],
        );
        check(r#"{"type":"function_call_output","call_id":"c","output":"a\nb"}"#, &["a\nb"]);
        check(
            r#"{"type":"custom_tool_call_output","output":[{"type":"input_text","text":"a b"}]}"#,
            &["a b"],
        );
        check(r#"{"type":"reasoning","summary":[],"encrypted_content":"AAAA"}"#, &[]);
        check(
            r#"{"role":"model","parts":[{"text":"hm"},{"functionCall":{"name":"f","args":{"a":1}}}]}"#,
            &["hm", "f", r#"{"a":1}"#],
        );
        check(
            r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"a\nb","code":0}}}]}"#,
            &["a\nb", "0"],
        );
    }

    #[test]
    fn what_is_opaque_does_not_count() {
        check(r#"{"role":"assistant","content":[{"type":"redacted_thinking","data":"AAAAAAAAAAAA"}]}"#, &[]);
    }
}

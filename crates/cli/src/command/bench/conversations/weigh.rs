//! Counts the tokens of what a model reads in a part of a request.

use serde_json::Value;
use tersely_core::{O200k, Tokens};

/// The tokens of a message: its texts, thoughts, calls and results. What is opaque is not counted: signatures,
/// encrypted thoughts, images. Of anything but a message, such as a list of tools, its JSON is counted.
pub(crate) fn weigh(part: &[u8]) -> usize {
    let Ok(value) = serde_json::from_slice::<Value>(part) else {
        return O200k.count(&String::from_utf8_lossy(part));
    };
    if value["role"].is_string() {
        return texts(&value["content"]) + calls(&value["tool_calls"]);
    }
    O200k.count(&String::from_utf8_lossy(part))
}

/// The tokens of a content: a text, or blocks.
fn texts(content: &Value) -> usize {
    match content {
        Value::String(text) => O200k.count(text),
        Value::Array(blocks) => blocks.iter().map(block).sum(),
        _ => 0,
    }
}

fn block(block: &Value) -> usize {
    match block["type"].as_str() {
        Some("thinking") => texts(&block["thinking"]),
        Some("tool_use") => texts(&block["name"]) + O200k.count(&block["input"].to_string()),
        Some("tool_result") => texts(&block["content"]),
        _ => texts(&block["text"]),
    }
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
    fn what_is_opaque_does_not_count() {
        check(r#"{"role":"assistant","content":[{"type":"redacted_thinking","data":"AAAAAAAAAAAA"}]}"#, &[]);
    }
}

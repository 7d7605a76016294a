//! Converts calls of a tool to calls through `call_tool`, and back.

use serde::de::IgnoredAny;
use tersely_json::{JsonNode, string};

use crate::bridge::catalogue::ToolNames;

/// A call through the bridging tool: the intended tool and its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BridgedCall {
    pub(crate) name: String,
    /// A JSON object, exactly as the model wrote it.
    pub(crate) arguments: Vec<u8>,
}

impl BridgedCall {
    /// Reads `input`, the JSON arguments of the bridging tool. `None` when `input` names none of `tools`, or when the
    /// arguments for the tool are not an object.
    pub(crate) fn read(tools: &ToolNames, input: &[u8]) -> Option<Self> {
        let top = JsonNode::object(input)?;
        let [name, arguments] = top.get_all(["name", "arguments"])?;
        let name = name?.text().filter(|name| tools.contains(&**name))?.into_owned();
        let arguments = match arguments {
            Some(given) if given.is_object() => given.bytes().to_vec(),
            // Some models write the arguments as in a direct call: as a string that contains JSON.
            Some(given) if given.bytes() != b"null" => given.text()?.into_owned().into_bytes(),
            None if top.members().len() > 1 => return None,
            _ => b"{}".to_vec(),
        };
        (JsonNode::object(&arguments).is_some() && is_json(&arguments)).then_some(Self { name, arguments })
    }
}

/// Writes the arguments of the bridging tool for a call of the tool `name`. Arguments that are not JSON become a
/// string.
pub(crate) fn wrap_call(name: &str, arguments: &[u8]) -> Vec<u8> {
    let quoted = string::quote(name);
    let given = match arguments.trim_ascii() {
        b"" => b"{}".to_vec(),
        given if is_json(given) => given.to_vec(),
        given => string::quote(&String::from_utf8_lossy(given)).into_bytes(),
    };
    [b"{\"name\":", quoted.as_bytes(), b",\"arguments\":", &given, b"}"].concat()
}

/// Like [`wrap_call`], for arguments in a request. Most APIs pass these as a string; some allow any JSON value.
pub(crate) fn wrap_value(name: &str, arguments: &JsonNode<'_>) -> Vec<u8> {
    match arguments.text() {
        Some(given) => wrap_call(name, given.as_bytes()),
        None if arguments.bytes() == b"null" => wrap_call(name, b""),
        None => wrap_call(name, arguments.bytes()),
    }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: Option<&str>) {
        let tools = ToolNames::from(["a_b".to_owned(), "\"".to_owned()]);
        let call = BridgedCall::read(&tools, input.as_bytes());
        let arguments = call.map(|call| String::from_utf8(call.arguments).expect("text"));
        assert_eq!(arguments.as_deref(), expected, "{input}");
    }

    #[test]
    fn arguments_are_what_the_model_wrote() {
        check(
            r#"{"name":"a_b","arguments":{"n": 1.50, "x":"\u00e9"}}"#,
            Some(r#"{"n": 1.50, "x":"\u00e9"}"#),
        );
        check(r#"{"arguments":"{\"n\":1}","name":"a\u005fb"}"#, Some(r#"{"n":1}"#));
        check(r#"{"name":"a_b"}"#, Some("{}"));
        check(r#"{"name":"a_b","arguments":null}"#, Some("{}"));
        check(r#"{"name":"\"","arguments":{}}"#, Some("{}"));
    }

    #[test]
    fn what_means_no_tool_is_no_call() {
        for input in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"name":"other","arguments":{}}"#,
            r#"{"name":"a_b","path":"x"}"#,
            r#"{"name":"a_b","arguments":[1]}"#,
            r#"{"name":"a_b","arguments":"x"}"#,
            r#"{"name":"a_b","arguments":"[]"}"#,
            r#"{"name":"a_b","name":"a_b","arguments":{}}"#,
            r#"{"name":7,"arguments":{}}"#,
        ] {
            check(input, None);
        }
    }

    #[test]
    fn arguments_may_be_anything_in_a_history() {
        for (given, expected) in [
            (r#""{\"a\":1}""#, r#"{"name":"x","arguments":{"a":1}}"#),
            (r#"{"a":1}"#, r#"{"name":"x","arguments":{"a":1}}"#),
            ("null", r#"{"name":"x","arguments":{}}"#),
        ] {
            let body = format!(r#"{{"arguments":{given}}}"#);
            let arguments = JsonNode::object(body.as_bytes()).and_then(|top| top.get("arguments"));
            assert_eq!(wrap_value("x", &arguments.expect("a value")), expected.as_bytes(), "{given}");
        }
    }

    #[test]
    fn what_is_wrapped_reads_as_it_was() {
        for (arguments, expected) in [
            (r#"{"a": 1}"#, r#"{"name":"x","arguments":{"a": 1}}"#),
            ("", r#"{"name":"x","arguments":{}}"#),
            ("{\"a\"", r#"{"name":"x","arguments":"{\"a\""}"#),
        ] {
            assert_eq!(String::from_utf8_lossy(&wrap_call("x", arguments.as_bytes())), expected);
        }
    }
}

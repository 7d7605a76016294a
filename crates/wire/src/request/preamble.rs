//! Measures the tools and the system prompt, which a model reads before the conversation.
//!
//! They are the same in every request of a conversation; if a client changes them, the provider's prompt cache starts
//! over anyway, because they come first. Tools with deferred loading are not counted: the model does not read them at
//! the start, and they may change without affecting the cache.

use tersely_json::{JsonNode, list, top_members};

/// The part of a request that a model reads before the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// The total size of the tools and the system prompt.
    pub bytes: usize,
    /// The names of the tools.
    pub tools: Vec<String>,
}

/// Measures the top-level members of `body` with these names.
pub(crate) fn beside(names: &[&'static str], body: &[u8]) -> RequestHead {
    let mut head = RequestHead::default();
    for member in top_members(names, body).unwrap_or_default() {
        let node =
            if [TOOLS, TOOL_CONFIG].contains(&member.name) { JsonNode::parse(member.value) } else { None };
        let bytes =
            head.list(if member.name == TOOL_CONFIG { node.and_then(|it| it.get(TOOLS)) } else { node });
        head.bytes += if member.name == TOOLS { bytes } else { member.value.len() };
    }
    head
}

/// The size of the operator's messages at the start of the array `name`.
pub(crate) fn opening(name: &str, body: &[u8]) -> usize {
    let Ok(Some(place)) = list::place(name, body) else { return 0 };
    let items = JsonNode::at(place, body).items();
    items.iter().take_while(|item| is_operators(item)).map(|item| item.bytes().len()).sum()
}

/// The member that contains the array of tools.
pub(crate) const TOOLS: &str = "tools";

/// Converse's object that contains the array of tools.
pub(crate) const TOOL_CONFIG: &str = "toolConfig";

/// The members of an entry that contain the definition of a tool, or several definitions.
const WRAPS: [&str; 5] = ["function", "custom", "toolSpec", "functionDeclarations", "function_declarations"];

impl RequestHead {
    /// Adds the names of the tools that a model reads at the start, and returns the size of these tools.
    fn list(&mut self, list: Option<JsonNode<'_>>) -> usize {
        let items = list.map_or_else(Vec::new, |list| list.items());
        let is_read = |tool: &&JsonNode<'_>| tool.get("defer_loading").is_none_or(|it| it.bytes() != b"true");
        let read = items.iter().filter(is_read);
        read.inspect(|tool| self.name(tool)).map(|tool| tool.bytes().len()).sum()
    }

    /// Adds the names of the tools in an entry. For a tool without a name, such as `local_shell`, its type is added.
    fn name(&mut self, tool: &JsonNode<'_>) {
        let inside = tool.get_all(WRAPS).into_iter().flatten().flatten();
        let each = inside.flat_map(|it| if it.is_list() { it.items() } else { vec![it] });
        let mut names: Vec<_> = each.filter_map(|it| it.get("name")).collect();
        if names.is_empty() {
            names.extend(tool.get("name").or_else(|| tool.get("type")));
        }
        self.tools.extend(names.iter().filter_map(|name| Some(name.text()?.into_owned())));
    }
}

fn is_operators(item: &JsonNode<'_>) -> bool {
    let says = |name: &str, word: &str| item.get(name).is_some_and(|it| it.is_str(word));
    says("role", "system") || says("role", "developer") || says("type", "additional_tools")
}

#[cfg(test)]
mod tests {
    use crate::providers::PROVIDERS;

    /// Checks that the head of a body is as long as these parts together.
    fn check(path: &str, body: &str, parts: &[&str]) {
        let provider = PROVIDERS.iter().find(|provider| provider.claims(path)).expect("a provider");
        assert!(parts.iter().all(|part| body.contains(part)), "{body}");
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        assert_eq!(provider.head(body.as_bytes()).bytes, bytes, "{path} {body}");
    }

    #[test]
    fn tools_are_called_what_each_api_calls_them() {
        for (path, tools, names) in [
            ("/v1/messages", r#"[{"name":"a","type":"x"},{"name":"b"}]"#, vec!["a", "b"]),
            ("/v1/messages", r#"[{"name":"a","defer_loading":true},{"name":"b"}]"#, vec!["b"]),
            ("/v1/chat/completions", r#"[{"type":"function","function":{"name":"a"}}]"#, vec!["a"]),
            (
                "/v1/responses",
                r#"[{"type":"function","name":"a"},{"type":"local_shell"}]"#,
                vec!["a", "local_shell"],
            ),
            (
                "/v1beta/models/m:generateContent",
                r#"[{"functionDeclarations":[{"name":"a"},{"name":"b"}]}]"#,
                vec!["a", "b"],
            ),
            ("/v1/messages", "[1,{},[]]", vec![]),
        ] {
            let provider = PROVIDERS.iter().find(|provider| provider.claims(path)).expect("a provider");
            let body = format!(r#"{{"tools":{tools}}}"#);
            assert_eq!(provider.head(body.as_bytes()).tools, names, "{path} {body}");
        }
        let provider = PROVIDERS.iter().find(|it| it.claims("/model/x/converse")).expect("a provider");
        let body = r#"{"toolConfig":{"tools":[{"toolSpec":{"name":"a"}}],"toolChoice":{}}}"#;
        assert_eq!(provider.head(body.as_bytes()).tools, ["a"]);
    }

    #[test]
    fn tools_and_system_are_the_head() {
        let body = r#"{"messages":[{"role":"user"}],"system":[{"text":"s"}],"tools":[{"a":1}, {"b":2}]}"#;
        check("/v1/messages", body, &[r#"[{"text":"s"}]"#, r#"{"a":1}"#, r#"{"b":2}"#]);
        check("/model/x/invoke", body, &[r#"[{"text":"s"}]"#, r#"{"a":1}"#, r#"{"b":2}"#]);
        let body = r#"{"system":[{"text":"s"}],"toolConfig":{"tools":[1]},"messages":[]}"#;
        check("/model/x/converse", body, &[r#"[{"text":"s"}]"#, r#"{"tools":[1]}"#]);
        let gemini = r#"{"contents":[1],"tools":[{}],"systemInstruction":{"parts":[]}}"#;
        check("/v1beta/models/m:generateContent", gemini, &["{}", r#"{"parts":[]}"#]);
        let wrapped = format!(r#"{{"request":{gemini}}}"#);
        check("/v1internal:generateContent", &wrapped, &["{}", r#"{"parts":[]}"#]);
    }

    #[test]
    fn what_the_operator_says_first_is_part_of_it() {
        let (one, two) = (r#"{"role":"system","content":"s"}"#, r#"{"role":"developer"}"#);
        let body = format!(r#"{{"messages":[{one},{two},{{"role":"user"}},{one}],"tools":[{{}}]}}"#);
        check("/v1/chat/completions", &body, &["{}", one, two]);
        let body = format!(r#"{{"input":[{two},{{"role":"user"}}],"instructions":"i","store":false}}"#);
        check("/v1/responses", &body, &["\"i\"", two]);
    }

    #[test]
    fn where_the_next_request_may_leave_it_out_it_is_not() {
        let two = r#"{"role":"developer"}"#;
        let body = format!(r#"{{"input":[{two},{{"role":"user"}}],"instructions":"i","tools":[{{}}]}}"#);
        check("/v1/responses", &body, &["\"i\"", "{}"]);
        let next =
            r#"{"input":[{"role":"user"}],"instructions":"i","tools":[{}],"previous_response_id":"r"}"#;
        check("/v1/responses", next, &["\"i\"", "{}"]);
    }

    #[test]
    fn tools_that_have_to_be_searched_for_do_not_count() {
        let body = r#"{"tools":[{"a":1},{"name":"x","defer_loading":true},{"defer_loading":false}]}"#;
        check("/v1/messages", body, &[r#"{"a":1}"#, r#"{"defer_loading":false}"#]);
    }

    #[test]
    fn what_cannot_be_read_has_no_head() {
        for body in ["", "[]", "{", r#"{"tools":[1"#, r#"{"messages":7}"#] {
            check("/v1/messages", body, &[]);
            check("/v1/chat/completions", body, &[]);
        }
    }
}

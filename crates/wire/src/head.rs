//! Measures what a model reads before a conversation: its tools and its system prompt.
//!
//! They are the same in every request of a conversation. Where a client does change them, the provider's prompt cache
//! starts anew in any case: they come first in what it compares. Tools that a model has to search for first are not
//! read, and may come and go while the cache stays; so they do not count.

use crate::json::list;
use crate::json::member::top_members;
use crate::json::node::JsonNode;

/// The bytes of the tools in the list `tools`, and of the members at the top of `body` with these names.
pub(crate) fn beside(names: &[&'static str], body: &[u8]) -> usize {
    let Ok(found) = top_members(names, body) else { return 0 };
    found
        .iter()
        .map(|member| if member.name == TOOLS { tools(member.value) } else { member.value.len() })
        .sum()
}

/// The bytes of the messages with which the list `name` begins and which are the operator's, not a user's.
pub(crate) fn opening(name: &str, body: &[u8]) -> usize {
    let Ok(Some(place)) = list::place(name, body) else { return 0 };
    let items = JsonNode::at(place, body).items();
    items.iter().take_while(|item| is_operators(item)).map(|item| item.bytes().len()).sum()
}

/// What every API calls its list of tools.
pub(crate) const TOOLS: &str = "tools";

fn tools(list: &[u8]) -> usize {
    let Some(node) = JsonNode::any(list) else { return 0 };
    let is_read = |tool: &&JsonNode<'_>| tool.get("defer_loading").is_none_or(|it| it.bytes() != b"true");
    node.items().iter().filter(is_read).map(|tool| tool.bytes().len()).sum()
}

fn is_operators(item: &JsonNode<'_>) -> bool {
    let says = |name: &str, word: &str| item.get(name).is_some_and(|it| it.says(word));
    says("role", "system") || says("role", "developer") || says("type", "additional_tools")
}

#[cfg(test)]
mod tests {
    use crate::PROVIDERS;

    /// The head of a body is as long as these parts of it are together.
    fn check(path: &str, body: &str, parts: &[&str]) {
        let provider = PROVIDERS.iter().find(|provider| provider.claims(path)).expect("a provider");
        assert!(parts.iter().all(|part| body.contains(part)), "{body}");
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        assert_eq!(provider.head(body.as_bytes()), bytes, "{path} {body}");
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

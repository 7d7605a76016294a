//! Wraps messages that arrive without a request in a request body of the matching provider.

use serde::de::IgnoredAny;
use tersely_json::{JsonError, JsonNode, top_members};

use crate::provider::Provider;
use crate::providers::PROVIDERS;

/// Messages, with the model and the tools if they are known. Each field contains the caller's JSON unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoneMessages<'a> {
    /// The array of messages; in the Responses API, the array of input items.
    pub messages: &'a [u8],
    /// The model's name, as a JSON string.
    pub model: Option<&'a [u8]>,
    /// The array of tools.
    pub tools: Option<&'a [u8]>,
}

/// The formats that are told apart: the provider's name, and the member that contains the array of messages.
const SHAPES: [(&str, &str); 3] = [("chat", "messages"), ("anthropic", "messages"), ("responses", "input")];

/// Members that occur only in the tools of one format.
const TOOLS: [(&str, &str); 4] =
    [("chat", "function"), ("chat", "custom"), ("anthropic", "input_schema"), ("responses", "parameters")];

impl<'a> LoneMessages<'a> {
    /// The provider whose format the messages have. The tools decide first, then the first tool result, so the answer
    /// does not change as the conversation grows.
    #[must_use]
    pub fn provider(&self) -> &'static Provider {
        let shapes = || SHAPES.into_iter().filter_map(|(name, _)| lone_provider(name));
        let first = |provider: &&'static Provider| {
            let body = self.body(provider);
            provider.slots(&body).ok().and_then(|slots| Some(slots.first()?.message)).unwrap_or(usize::MAX)
        };
        let by_tools = self.tools.and_then(by_tools);
        by_tools.or_else(|| shapes().min_by_key(first)).unwrap_or(PROVIDERS[0])
    }

    /// The member of the provider's requests that contains the array of messages.
    #[must_use]
    pub fn place(provider: &Provider) -> &'static str {
        let all = SHAPES.iter().chain(&[("gemini", "contents")]);
        all.into_iter().find(|(name, _)| *name == provider.name()).map_or("messages", |(_, place)| place)
    }

    /// Builds a request body for this provider from these members alone.
    #[must_use]
    pub fn body(&self, provider: &Provider) -> Vec<u8> {
        let named = |name: &str, value: &[u8]| [b"\"", name.as_bytes(), b"\":", value].concat();
        let members = [
            self.model.map(|model| named("model", model)),
            Some(named(Self::place(provider), self.messages)),
            self.tools.map(|tools| named("tools", tools)),
        ];
        let members: Vec<_> = members.into_iter().flatten().collect();
        [b"{", members.join(&b',').as_slice(), b"}"].concat()
    }

    /// Reads the members from a body that [`Self::body`] built.
    ///
    /// # Errors
    /// Fails if the body has no messages.
    pub fn of(provider: &Provider, body: &'a [u8]) -> Result<Self, JsonError> {
        let place = Self::place(provider);
        let found = top_members(&[place, "model", "tools"], body)?;
        let value = |name: &str| found.iter().find(|member| member.name == name).map(|member| member.value);
        let absent = JsonError { at: 0, expected: "messages" };
        let messages = value(place).ok_or(absent)?;
        Ok(Self { messages, model: value("model"), tools: value("tools") })
    }
}

/// Counts the messages in an array; `None` unless `list` is an array of objects.
#[must_use]
pub fn count_messages(list: &[u8]) -> Option<usize> {
    let list = JsonNode::parse(list).filter(JsonNode::is_list)?;
    let items = list.items();
    (items.iter().all(JsonNode::is_object) && items.is_empty() == list.is_empty()).then_some(items.len())
}

/// Checks that the whole body is valid JSON, including the parts that are never read.
///
/// # Errors
/// Returns a message with the position of the error.
pub fn check_json(body: &[u8]) -> Result<(), String> {
    let text = str::from_utf8(body).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|error| error.to_string())
}

/// Finds a provider by name, if its messages can arrive without a request.
#[must_use]
pub fn lone_provider(name: &str) -> Option<&'static Provider> {
    let known = SHAPES.iter().any(|(shape, _)| *shape == name);
    PROVIDERS.into_iter().find(|provider| known && provider.name() == name)
}

fn by_tools(tools: &[u8]) -> Option<&'static Provider> {
    let tools = JsonNode::parse(tools)?.items();
    let has = |member: &str| tools.iter().any(|tool| tool.is_object() && tool.get(member).is_some());
    TOOLS.into_iter().find(|(_, member)| has(member)).and_then(|(name, _)| lone_provider(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &str = r#"{"role":"tool","tool_call_id":"c","content":"text"}"#;
    const ANTHROPIC: &str =
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"text"}]}"#;
    const RESPONSES: &str = r#"{"type":"function_call_output","call_id":"c","output":"text"}"#;

    fn check(messages: &[&str], tools: Option<&str>, expected: &str) {
        let messages = format!("[{}]", messages.join(","));
        let tools = tools.map(str::as_bytes);
        let alone = LoneMessages { messages: messages.as_bytes(), model: None, tools };
        assert_eq!(alone.provider().name(), expected, "{messages}");
    }

    #[test]
    fn the_first_result_says_whose_messages_they_are_and_tools_do_before_it() {
        check(&[CHAT], None, "chat");
        check(&[ANTHROPIC], None, "anthropic");
        check(&[RESPONSES], None, "responses");
        check(&[ANTHROPIC, CHAT, RESPONSES], None, "anthropic");
        check(&[CHAT, ANTHROPIC], None, "chat");
        check(&[], None, "chat");
        check(&[CHAT], Some(r#"[{"type":"x","name":"y"},{"name":"z","input_schema":{}}]"#), "anthropic");
        check(&[], Some(r#"[{"type":"function","function":{"name":"z"}}]"#), "chat");
        check(&[], Some(r#"[{"type":"function","name":"z","parameters":{}}]"#), "responses");
        check(&[RESPONSES], Some("[1,null]"), "responses");
    }

    #[test]
    fn only_lists_of_objects_are_messages() {
        for (list, count) in
            [("[]", Some(0)), (" [ {} , {\"a\":[]} ] ", Some(2)), ("[{},1]", None), ("{}", None)]
        {
            assert_eq!(count_messages(list.as_bytes()), count, "{list}");
        }
        for list in ["", "[", "[{}", "[{}]]", "null"] {
            assert_eq!(count_messages(list.as_bytes()), None, "{list}");
        }
    }

    #[test]
    fn what_is_not_json_is_found_wherever_it_stands() {
        assert_eq!(check_json(br#"{"a":["\ud800",1e999]}"#), Ok(()));
        assert_eq!(check_json(format!("{}{}", "[".repeat(99_999), "]".repeat(99_999)).as_bytes()), Ok(()));
        for body in [&b""[..], b"{\"a\":tru}", b"{\"a\":\"\xff\"}", b"{} {}", b"{\"a\":\"\n\"}"] {
            assert!(check_json(body).is_err(), "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn what_is_put_into_a_body_is_found_in_it() {
        for name in ["chat", "anthropic", "responses"] {
            let provider = lone_provider(name).unwrap();
            for (model, tools) in [(None, None), (Some(&br#""m""#[..]), Some(&b"[ 1 ]"[..]))] {
                let alone = LoneMessages { messages: b"[ {} ]", model, tools };
                let body = alone.body(provider);
                assert_eq!(
                    LoneMessages::of(provider, &body),
                    Ok(alone),
                    "{}",
                    String::from_utf8_lossy(&body)
                );
            }
        }
        assert!(lone_provider("gemini").is_none());
        assert!(LoneMessages::of(PROVIDERS[0], b"{}").is_err());
    }
}

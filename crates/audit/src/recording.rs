//! A conversation read from a client's history.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde_json::Value;
use tersely_account::TokenUsage;

/// A conversation: messages, and the requests that sent them. A compacted conversation is two recordings.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// The client program.
    pub client: &'static str,
    /// The client's session id.
    pub session: String,
    /// The project folder.
    pub project: Option<String>,
    /// The model.
    pub model: String,
    /// The API format of its messages.
    pub shape: BodyShape,
    /// What comes before the messages, if the history has it.
    pub head: RecordedHead,
    /// Its messages, in API format.
    pub messages: Vec<Value>,
    /// Its requests, each with more messages than the previous one.
    pub turns: Vec<RecordedTurn>,
}

/// What comes before the messages.
#[derive(Debug, Clone, Default)]
pub struct RecordedHead {
    /// Instructions.
    pub system: String,
    /// Tool definitions.
    pub tools: Vec<Value>,
}

/// The API format of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BodyShape {
    /// Anthropic's Messages.
    #[default]
    Messages,
    /// Chat Completions.
    Chat,
    /// The Responses API.
    Responses,
    /// Gemini's contents.
    Gemini,
}

/// A request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordedTurn {
    /// An id that is the same in copies of the conversation.
    pub id: Option<u64>,
    /// Number of messages it held.
    pub messages: usize,
    /// Time of the answer, in milliseconds.
    pub at: Option<i64>,
    /// Usage reported by the provider.
    pub billed: Option<TokenUsage>,
    /// True if its cache writes last for an hour.
    pub is_long: bool,
}

impl RecordedTurn {
    /// Derives the id from `name` or, without one, from the time and counts, which copies of a conversation share.
    pub(crate) fn named(mut self, name: Option<&str>) -> Self {
        let mut hasher = DefaultHasher::new();
        self.id = match (name, self.at) {
            (Some(name), _) => {
                name.hash(&mut hasher);
                Some(hasher.finish())
            }
            (None, Some(at)) => {
                let billed = self.billed.unwrap_or_default();
                (at, billed.input, billed.cache_read, billed.output).hash(&mut hasher);
                Some(hasher.finish())
            }
            (None, None) => None,
        };
        self
    }
}

/// A conversation as the body of its last request.
pub(crate) struct RecordedBody {
    pub(crate) bytes: Vec<u8>,
    /// Byte range of each message.
    pub(crate) spans: Vec<Range<usize>>,
}

impl BodyShape {
    /// The request path of this format.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Messages => "/v1/messages",
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Gemini => "/v1beta/models/gemini:generateContent",
        }
    }

    /// The provider whose prompt cache applies to this format.
    pub(crate) fn provider(self) -> &'static str {
        match self {
            Self::Messages => "anthropic",
            Self::Gemini => "gemini",
            Self::Chat | Self::Responses => "openai",
        }
    }

    /// The member that holds the messages.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Self::Messages | Self::Chat => "messages",
            Self::Responses => "input",
            Self::Gemini => "contents",
        }
    }

    /// A tool definition in this format.
    fn tool(self, name: &str, description: &str) -> Value {
        use serde_json::json;
        match self {
            Self::Messages => json!({ "name": name, "description": description, "input_schema": {} }),
            Self::Chat => {
                json!({ "type": "function", "function": { "name": name, "description": description } })
            }
            Self::Responses => json!({ "type": "function", "name": name, "description": description }),
            Self::Gemini => {
                json!({ "functionDeclarations": [{ "name": name, "description": description }] })
            }
        }
    }
}

impl Recording {
    /// True if the model calls tools from programs that it writes. Codex then lists the tools among the messages, so
    /// none can be added.
    fn is_programmed(&self) -> bool {
        self.messages.iter().any(|item| item["type"] == "custom_tool_call" && item["name"] == "exec")
    }

    /// Names of the tools that the model called, each once.
    fn called(&self) -> impl Iterator<Item = &str> {
        let blocks = |message| BLOCKS.into_iter().flat_map(move |name| list(message, name));
        let calls = self.messages.iter().flat_map(move |message| blocks(message).chain([message]));
        calls.filter_map(called).collect::<BTreeSet<_>>().into_iter()
    }

    /// The body of the last request. If the history lacks the head, one of `head` tokens with the called tools is made
    /// up, since whether the model can fetch originals depends on both.
    pub(crate) fn body(&self, head: usize) -> RecordedBody {
        let mut tools = self.head.tools.clone();
        if tools.is_empty() && !self.is_programmed() {
            tools.extend(self.called().map(|name| self.shape.tool(name, "")));
            tools.push(self.shape.tool("head", &" the".repeat(head)));
        }
        let mut text = format!(
            "{{\"model\":{},\"tools\":{},\"{}\":[",
            Value::from(self.model.as_str()),
            Value::from(tools),
            self.shape.member()
        );
        let mut spans = Vec::with_capacity(self.messages.len());
        for (at, message) in self.messages.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            let start = text.len();
            // Writing to a string cannot fail.
            let _ = write!(text, "{message}");
            spans.push(start..text.len());
        }
        text.push_str("]}");
        RecordedBody { bytes: text.into_bytes(), spans }
    }
}

/// Members of a message that hold calls.
const BLOCKS: [&str; 3] = ["content", "parts", "tool_calls"];

fn list<'a>(message: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    message[name].as_array().into_iter().flatten()
}

/// The tool that a block or item calls.
fn called(block: &Value) -> Option<&str> {
    const CALLS: [&str; 4] = ["tool_use", "function_call", "custom_tool_call", "local_shell_call"];
    let is_call = block["type"].as_str().is_some_and(|kind| CALLS.contains(&kind));
    let inner = ["functionCall", "function"].map(|name| &block[name]["name"]);
    [&block["name"]].into_iter().filter(|_| is_call).chain(inner).find_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_holds_its_messages_where_it_says() {
        for shape in [BodyShape::Messages, BodyShape::Chat, BodyShape::Responses, BodyShape::Gemini] {
            let messages = vec![json!({ "role": "user", "content": "hi" }), json!({ "role": "x" })];
            let recording = Recording { shape, messages: messages.clone(), ..Recording::default() };
            let body = recording.body(3);
            let value: Value = serde_json::from_slice(&body.bytes).unwrap();
            assert_eq!(value[shape.member()], Value::from(messages.clone()));
            assert!(value["tools"].to_string().contains(" the the the"));
            let second: Value = serde_json::from_slice(&body.bytes[body.spans[1].clone()]).unwrap();
            assert_eq!(second, messages[1]);
            assert!(tersely_wire::claimed_provider(shape.path()).is_some());
        }
    }

    #[test]
    fn a_history_without_a_head_gets_the_tools_that_were_called() {
        for (shape, message) in [
            (
                BodyShape::Messages,
                json!({ "role": "assistant", "content": [{ "type": "tool_use", "name": "Bash" }] }),
            ),
            (
                BodyShape::Chat,
                json!({ "role": "assistant", "tool_calls": [{ "function": { "name": "Bash" } }] }),
            ),
            (BodyShape::Responses, json!({ "type": "function_call", "name": "Bash" })),
            (
                BodyShape::Gemini,
                json!({ "role": "model", "parts": [{ "functionCall": { "name": "Bash" } }] }),
            ),
        ] {
            let recording =
                Recording { shape, messages: vec![message.clone(), message], ..Recording::default() };
            let body: Value = serde_json::from_slice(&recording.body(0).bytes).unwrap();
            assert_eq!(body["tools"].to_string().matches("\"Bash\"").count(), 1, "{body}");
        }
        let program = json!({ "type": "custom_tool_call", "name": "exec" });
        let recording =
            Recording { shape: BodyShape::Responses, messages: vec![program], ..Recording::default() };
        let body: Value = serde_json::from_slice(&recording.body(9).bytes).unwrap();
        assert_eq!(body["tools"], json!([]));
    }
}

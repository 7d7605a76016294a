//! A conversation read from a client's history.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use tersely_account::{CacheDiagnosis, PromptMarks, TokenUsage, quick_hash};

/// A conversation: messages, and the requests that sent them. A conversation that was compacted becomes two recordings.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// The name of the client.
    pub client: &'static str,
    /// The client's session id.
    pub session: String,
    /// The project folder.
    pub project: Option<String>,
    /// The model.
    pub model: String,
    /// The API format of the messages.
    pub shape: BodyShape,
    /// The part of the requests in front of the messages, if the history contains it.
    pub head: RecordedHead,
    /// The messages, in API format.
    pub messages: Vec<Value>,
    /// The requests, each with more messages than the previous one.
    pub turns: Vec<RecordedTurn>,
    /// The last request before a compaction, if this conversation goes on after one.
    pub compacted: Option<RecordedTurn>,
}

/// The part of a request in front of the messages.
#[derive(Debug, Clone, Default)]
pub struct RecordedHead {
    /// The system instructions.
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedTurn {
    /// An id that is the same in copies of the conversation.
    pub id: Option<u64>,
    /// The number of messages in the request.
    pub messages: usize,
    /// The time of the answer, in milliseconds.
    pub at: Option<i64>,
    /// The usage that the provider reported.
    pub billed: Option<TokenUsage>,
    /// True if the request's cache writes last for an hour.
    pub is_long: bool,
    /// What the history shows about the request beside its messages.
    pub shown: ShownRequest,
}

/// What a history shows about a request that may explain why its prompt was not in the cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownRequest {
    /// A hash of the model's name.
    pub model: Option<u64>,
    /// The hashes of the whole request, if the history contains it.
    pub marks: Option<Arc<PromptMarks>>,
    /// What it follows.
    pub link: TurnLink,
    /// What the provider itself says about its cache.
    pub diagnosis: Option<CacheDiagnosis>,
}

/// What a request follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TurnLink {
    /// The request before it.
    #[default]
    Next,
    /// An earlier message, to which the person went back.
    Branched,
    /// The request before it, which it sums up.
    Summary,
    /// A summary of the conversation.
    Compacted,
}

impl ShownRequest {
    /// What a history shows of a request to this model.
    pub(crate) fn to(model: Option<&str>) -> Self {
        let model = model.filter(|model| !model.is_empty()).map(|model| quick_hash(model.as_bytes()));
        Self { model, ..Self::default() }
    }
}

impl RecordedTurn {
    /// Derives the id from `name` or, without a name, from the time and counts, which are the same in copies of a
    /// conversation.
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

/// The body of a conversation's last request.
pub(crate) struct RecordedBody {
    pub(crate) bytes: Vec<u8>,
    /// The byte range of each message.
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

    /// The field that contains the messages.
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
    /// True if the model calls tools from programs that it writes. In this case Codex lists the tools among the
    /// messages, so no tool can be added.
    fn is_programmed(&self) -> bool {
        self.messages.iter().any(|item| item["type"] == "custom_tool_call" && item["name"] == "exec")
    }

    /// The names of the tools that the model called, without duplicates.
    fn called(&self) -> impl Iterator<Item = &str> {
        let blocks = |message| BLOCKS.into_iter().flat_map(move |name| list(message, name));
        let calls = self.messages.iter().flat_map(move |message| blocks(message).chain([message]));
        calls.filter_map(called).collect::<BTreeSet<_>>().into_iter()
    }

    /// The body of the last request. If the history does not contain the head, one is made up with `head` tokens and
    /// the called tools, because both decide whether the model can fetch originals.
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

/// The fields of a message that contain calls.
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

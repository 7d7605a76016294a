//! Assembles a model's message from its pieces, so that the message can be sent back.

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::hidden::turn::{HiddenAsk, HiddenTurn};

/// The members of a message that are sent back. They include the model's reasoning, because some servers require it.
pub(super) const KEPT_MEMBERS: [&str; 4] = ["content", "reasoning_content", "reasoning", "reasoning_details"];

/// The maximum size of a turn that is collected.
const MAX_TURN_BYTES: usize = 8 << 20;

/// The part of a model's message that has arrived so far.
#[derive(Debug, Default)]
pub(super) struct TurnMessage {
    parts: Map<String, Value>,
    size: usize,
}

impl TurnMessage {
    /// Adds a member of the message: its name, and its value as JSON.
    pub(super) fn add(&mut self, name: &str, value: &[u8]) {
        if !KEPT_MEMBERS.contains(&name) || !self.fits(value.len()) {
            return;
        }
        if let Ok(value) = serde_json::from_slice(value) {
            join_values(self.parts.entry(name).or_insert(Value::Null), value);
        }
    }

    /// Reserves space for `size` bytes; returns false when the limit is reached.
    pub(super) fn fits(&mut self, size: usize) -> bool {
        self.size += size;
        !self.is_full()
    }

    /// True when the message is too long to collect.
    pub(super) fn is_full(&self) -> bool {
        self.size > MAX_TURN_BYTES
    }

    /// Builds the turn from this message and these calls; `round` makes generated ids unique.
    pub(super) fn turn(self, round: usize, calls: Vec<Map<String, Value>>) -> HiddenTurn {
        let (mut asks, mut all) = (Vec::new(), Vec::new());
        for (at, mut call) in calls.into_iter().enumerate() {
            let ask = ask(&mut call, || format!("call_{round}_{at}"));
            asks.push(ask);
            all.push(Value::Object(call));
        }
        let mut message = Map::new();
        message.insert("role".into(), json!("assistant"));
        message.insert("content".into(), Value::Null);
        message.extend(self.parts);
        message.insert("tool_calls".into(), Value::Array(all));
        HiddenTurn { asks, messages: Value::Object(message).to_string() }
    }
}

/// Reads a hidden call. A call without an id gets one, and arguments that are not JSON are not sent back.
fn ask(call: &mut Map<String, Value>, name: impl FnOnce() -> String) -> HiddenAsk {
    let id =
        call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map_or_else(name, str::to_owned);
    call.insert("id".into(), json!(id));
    let function = call.get_mut("function").and_then(Value::as_object_mut);
    let tool = function.as_ref().and_then(|it| it.get("name")).and_then(Value::as_str);
    let tool = tool.unwrap_or_default().to_owned();
    let arguments = function.and_then(|it| it.get_mut("arguments"));
    let input = match &arguments {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    if let Some(arguments) = arguments
        && serde_json::from_str::<IgnoredAny>(&input).is_err()
    {
        *arguments = json!("{}");
    }
    HiddenAsk { id, tool, input }
}

/// Appends a value to a value of the same type: text to text, items to items.
pub(super) fn join_values(now: &mut Value, more: Value) {
    match (now, more) {
        (Value::String(now), Value::String(more)) => now.push_str(&more),
        (Value::Array(now), Value::Array(more)) => now.extend(more),
        (_, Value::Null) => {}
        (now, more) => *now = more,
    }
}

//! Takes a hidden tool's calls out of an answer that comes at once, and makes one answer of several rounds.

use serde_json::{Map, Value, json};

use super::turn::{KEPT, Said};
use super::words::{error, usage};
use crate::hidden::tally::Tally;
use crate::hidden::turn::Turn;
use crate::hidden::watch::{Close, Usage};
use crate::hidden::whole::Bodies;
use crate::hidden::words::{KEPT_ASKING, gap};

/// An answer, over all its rounds.
pub(super) struct Reply {
    name: &'static str,
    /// What the model said in earlier rounds.
    before: Map<String, Value>,
    /// The id and the time of the first round.
    head: Map<String, Value>,
    total: Tally,
    rounds: usize,
    /// The latest turn, without its calls.
    latest: Value,
}

impl Reply {
    pub(super) fn new(name: &'static str) -> Self {
        let (before, head) = (Map::new(), Map::new());
        Self { name, before, head, total: Tally::default(), rounds: 0, latest: Value::Null }
    }

    /// What earlier rounds said goes before what this one says.
    fn merge(&self, answer: &mut Value) {
        if let Some(answer) = answer.as_object_mut() {
            answer.extend(self.head.clone());
            if !self.total.is_empty() {
                answer.insert("usage".into(), serde_json::from_str(&self.total.text()).unwrap_or_default());
            }
        }
        let Some(message) = message(answer) else { return };
        for (name, before) in &self.before {
            let now = message.entry(name).or_insert(Value::Null);
            *now = joined(before, now);
        }
    }

    /// Takes the hidden calls out of an answer.
    fn strip(&self, answer: &mut Value) -> Vec<Map<String, Value>> {
        let Some(message) = message(answer) else { return Vec::new() };
        let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) else {
            return Vec::new();
        };
        let is_hidden = |call: &mut Value| call["function"]["name"] == self.name;
        let hidden = calls.extract_if(.., is_hidden).filter_map(|call| match call {
            Value::Object(call) => Some(call),
            _ => None,
        });
        let hidden: Vec<_> = hidden.collect();
        if calls.is_empty() && !hidden.is_empty() {
            message.shift_remove("tool_calls");
        }
        hidden
    }

    fn turn(&mut self, calls: Vec<Map<String, Value>>, mut answer: Value) -> Turn {
        let mut said = Said::default();
        if let Some(message) = message(&mut answer) {
            for (name, value) in message.iter().filter(|(name, _)| KEPT.contains(&name.as_str())) {
                said.hear(name, value.to_string().as_bytes());
                let before = self.before.entry(name).or_insert(Value::Null);
                *before = joined(before, value);
            }
        }
        self.latest = answer;
        said.turn(self.rounds, calls)
    }
}

impl Bodies for Reply {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<Turn> {
        let Some(mut answer) = read(&body) else {
            out.extend_from_slice(&body);
            return None;
        };
        self.rounds += 1;
        if let Some(usage) = answer["usage"].as_object() {
            self.total.count(usage);
        }
        if self.rounds == 1 {
            let head = ["id", "created"]
                .into_iter()
                .filter_map(|name| Some((name.into(), answer.get(name)?.clone())));
            self.head = head.collect();
        }
        let calls = self.strip(&mut answer);
        if calls.is_empty() && self.rounds == 1 {
            out.extend_from_slice(&body);
            return None;
        }
        let is_alone = message(&mut answer).is_some_and(|it| !it.contains_key("tool_calls"));
        let reason = &answer["choices"][0]["finish_reason"];
        let is_cut = ["length", "content_filter", "error"].iter().any(|cut| reason == cut);
        if !calls.is_empty() && is_alone && !is_cut {
            return Some(self.turn(calls, answer));
        }
        self.merge(&mut answer);
        out.extend_from_slice(answer.to_string().as_bytes());
        None
    }

    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>) {
        if let Close::Failed(why) = why {
            return out.extend_from_slice(error(why).as_bytes());
        }
        let mut answer = std::mem::take(&mut self.latest);
        // All that was said has been counted among what came before.
        if let Some(message) = message(&mut answer) {
            message.retain(|name, _| !self.before.contains_key(name));
            self.before.retain(|_, said| !said.is_null());
        }
        self.merge(&mut answer);
        if let Some(message) = message(&mut answer) {
            let content = message.entry("content").or_insert(Value::Null);
            if content.as_str().is_none_or(str::is_empty) && !content.is_array() {
                *content = json!(KEPT_ASKING);
            }
        }
        if let Some(reason) = answer.pointer_mut("/choices/0/finish_reason") {
            *reason = json!("stop");
        }
        out.extend_from_slice(answer.to_string().as_bytes());
    }

    fn spent(&self) -> Usage {
        usage(&self.total)
    }
}

/// An answer with one choice; `None` when it is anything else.
fn read(body: &[u8]) -> Option<Value> {
    let mut answer: Value = serde_json::from_slice(body).ok()?;
    let choices = answer.get("choices")?.as_array()?.len();
    (choices == 1 && message(&mut answer).is_some()).then_some(answer)
}

fn message(answer: &mut Value) -> Option<&mut Map<String, Value>> {
    answer.get_mut("choices")?.get_mut(0)?.get_mut("message")?.as_object_mut()
}

/// What was said before, and what is said now.
fn joined(before: &Value, now: &Value) -> Value {
    match (before, now) {
        (Value::String(before), Value::String(now)) => {
            let gap = gap(before.chars().last(), now.chars().next());
            json!(format!("{before}{gap}{now}"))
        }
        (Value::Array(before), Value::Array(now)) => [before.as_slice(), now].concat().into(),
        (before, Value::Null) => before.clone(),
        (_, now) => now.clone(),
    }
}

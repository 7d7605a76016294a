//! Removes calls of hidden tools from a whole answer, and merges its rounds into one answer.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use tersely_json::{BytePatch, JsonNode, string};

use super::turn::{KEPT_MEMBERS, TurnMessage};
use super::words;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::CloseReason;
use crate::hidden::whole::BodyMeaning;
use crate::hidden::words::{KEPT_ASKING, gap_between};

/// An answer, across all its rounds.
pub(super) struct ChatWhole {
    names: HiddenNames,
    tally: UsageTally,
    rounds: usize,
    /// The id and the time of the first round, as JSON.
    head: [Option<Vec<u8>>; 2],
    /// The members of the message so far, each with its name and its value as JSON.
    message: Vec<(String, Vec<u8>)>,
    /// The body of the latest turn.
    latest: Vec<u8>,
}

/// The members that identify an answer.
const HEAD: [&str; 2] = ["id", "created"];

impl BodyMeaning for ChatWhole {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let Some(answer) = Answer::read(self.names, &body) else {
            out.extend_from_slice(&body);
            return None;
        };
        self.count(&answer);
        if self.rounds == 1 && !answer.hides() {
            out.extend_from_slice(&body);
            return None;
        }
        self.keep(&answer);
        let turn = answer.turn(self.rounds);
        if turn.is_none() {
            self.write(None, &answer, &body, out);
        }
        self.latest = body;
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        if let CloseReason::Failed(why) = why {
            return out.extend_from_slice(words::error(why).as_bytes());
        }
        let body = std::mem::take(&mut self.latest);
        if let Some(answer) = Answer::read(self.names, &body) {
            self.break_silence();
            self.write(Some("\"stop\""), &answer, &body, out);
        }
    }
}

impl ChatWhole {
    pub(super) fn new(names: HiddenNames) -> Self {
        let (message, latest) = (Vec::new(), Vec::new());
        Self { names, tally: UsageTally::default(), rounds: 0, head: [None, None], message, latest }
    }

    fn count(&mut self, answer: &Answer<'_>) {
        if let Some(counted) = answer.top.get("usage") {
            self.tally.record(&counted);
        }
        self.tally.end_round();
        self.rounds += 1;
        if self.rounds == 1 {
            self.head = HEAD.map(|name| answer.top.get(name).map(|value| value.bytes().to_vec()));
        }
    }

    fn keep(&mut self, answer: &Answer<'_>) {
        for (name, value) in answer.kept_members() {
            match self.message.iter_mut().find(|(known, _)| *known == name) {
                Some((_, message)) => *message = join_json(message, value.bytes()),
                None => self.message.push((name, value.bytes().to_vec())),
            }
        }
    }

    /// Adds a text if the answer has none, because a client would treat an empty answer as lost.
    fn break_silence(&mut self) {
        let is_said =
            |value: &[u8]| value.first() == Some(&b'[') || (value.first() == Some(&b'"') && value.len() > 2);
        if !self.message.iter().any(|(name, value)| name == "content" && is_said(value)) {
            self.message.retain(|(name, _)| name != "content");
            self.message.push(("content".into(), string::quote(KEPT_ASKING).into_bytes()));
        }
    }

    /// Writes the answer with the text of all rounds and without the hidden calls; `reason` replaces its stop reason.
    fn write(&self, reason: Option<&str>, answer: &Answer<'_>, body: &[u8], out: &mut Vec<u8>) {
        let mut patch = BytePatch::default();
        let head =
            HEAD.into_iter().zip(&self.head).filter_map(|(name, first)| Some((name, first.as_deref()?)));
        let added = set(&answer.top, head, &mut patch);
        patch.add(&answer.top, &added);
        self.tally.write("usage", &answer.top, &mut patch);
        let message = self.message.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
        let added = set(&answer.message, message, &mut patch);
        answer.strip(&added, &mut patch);
        if let Some((old, reason)) = answer.finish.as_ref().zip(reason) {
            patch.put(old.span.clone(), reason);
        }
        out.extend_from_slice(&patch.apply(body));
    }
}

/// Replaces the members of `object` with these names, and returns those that `object` does not have.
fn set<'v>(
    object: &JsonNode<'_>,
    values: impl Iterator<Item = (&'v str, &'v [u8])>,
    patch: &mut BytePatch,
) -> Vec<u8> {
    let mut added = Vec::new();
    for (name, value) in values {
        match object.get(name) {
            Some(old) => patch.put(old.span, value),
            None if value == b"null" => {}
            None => added.push([format!("\"{name}\":").as_bytes(), value].concat()),
        }
    }
    added.join(b",".as_slice())
}

/// An answer with one choice.
struct Answer<'a> {
    top: JsonNode<'a>,
    message: JsonNode<'a>,
    finish: Option<JsonNode<'a>>,
    calls: Vec<JsonNode<'a>>,
    /// For each call, whether it is hidden.
    hidden: Vec<bool>,
}

impl<'a> Answer<'a> {
    /// Reads an answer. `None` when the body is something else, or is not JSON that all parsers read the same way.
    fn read(names: HiddenNames, body: &'a [u8]) -> Option<Self> {
        serde_json::from_slice::<IgnoredAny>(body).ok()?;
        let top = JsonNode::object(body)?;
        let [choices, _, _, _] = top.get_all(["choices", "usage", "id", "created"])?;
        let choices = choices?.items();
        let [choice] = choices.as_slice() else { return None };
        let [message, finish] = choice.get_all(["message", "finish_reason"])?;
        let message = message.filter(JsonNode::is_object)?;
        message.get_all(KEPT_MEMBERS)?;
        let calls = message.get("tool_calls").map(|list| list.items()).unwrap_or_default();
        let called = |call: &JsonNode<'a>| call.get("function").and_then(|function| function.get("name"));
        let hidden = calls.iter().map(|call| called(call).is_some_and(|it| names.fit(&it))).collect();
        Some(Self { top, message, finish, calls, hidden })
    }

    fn hides(&self) -> bool {
        self.hidden.contains(&true)
    }

    /// The members of the message that are sent back.
    fn kept_members(&self) -> impl Iterator<Item = (String, JsonNode<'a>)> {
        self.message.members().into_iter().filter(|(name, _)| KEPT_MEMBERS.contains(&name.as_str()))
    }

    /// The turn, if the model waits only for the hidden tool.
    fn turn(&self, round: usize) -> Option<HiddenTurn> {
        let is_cut = |reason: &JsonNode<'_>| {
            ["length", "content_filter", "error"].iter().any(|cut| reason.is_str(cut))
        };
        if !self.hides() || self.hidden.contains(&false) || self.finish.as_ref().is_some_and(is_cut) {
            return None;
        }
        let mut message = TurnMessage::default();
        for (name, value) in self.kept_members() {
            message.add(&name, value.bytes());
        }
        let calls = self.calls.iter().map(|call| serde_json::from_slice(call.bytes()).ok());
        let calls: Option<Vec<Map<String, Value>>> = calls.collect();
        Some(message.turn(round, calls?))
    }

    /// Removes the hidden calls from the message, and appends `added` to its members.
    fn strip(&self, added: &[u8], patch: &mut BytePatch) {
        let is_bare = self.hides() && !self.hidden.contains(&false);
        match self.message.member("tool_calls").filter(|_| is_bare) {
            Some(_) if added.is_empty() => patch.cut(&self.message, "tool_calls"),
            // The calls may be the only member; then there is no comma to remove.
            Some(span) => patch.put(span, added),
            None => {
                patch.drop_items(&self.calls, &self.hidden);
                patch.add(&self.message, added);
            }
        }
    }
}

/// Joins two JSON values: strings with a gap between them, arrays item by item.
fn join_json(before: &[u8], now: &[u8]) -> Vec<u8> {
    let inside = |value: &'_ [u8]| value.get(1..value.len() - 1).unwrap_or_default().to_vec();
    match (before.first(), now.first()) {
        (Some(b'"'), Some(b'"')) => {
            let (last, next) = (string::decode(before), string::decode(now));
            let last = last.and_then(|text| text.chars().last());
            let gap = string::quote(gap_between(last, next.and_then(|text| text.chars().next())));
            [b"\"", inside(before).as_slice(), &inside(gap.as_bytes()), &inside(now), b"\""].concat()
        }
        (Some(b'['), Some(b'[')) => {
            let items =
                [inside(before), inside(now)].into_iter().filter(|items| !items.trim_ascii().is_empty());
            [b"[", items.collect::<Vec<_>>().join(b",".as_slice()).as_slice(), b"]"].concat()
        }
        (_, Some(b'n')) => before.to_vec(),
        _ => now.to_vec(),
    }
}

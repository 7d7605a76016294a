//! Tracks the state that all rounds of a response share, and writes the response object that covers all rounds.

use serde_json::{Value, json};
use tersely_json::{BytePatch, JsonNode, list, string};

use super::object::{ResponseItem, ResponseObject, waits_for_client};
use super::turn;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::{HiddenTurn, MAX_HELD_BYTES};
use crate::hidden::words::KEPT_ASKING;

/// A response, across all its rounds.
pub(super) struct ResponseState {
    pub(super) names: HiddenNames,
    pub(super) rounds: usize,
    /// The items that the client has seen in earlier rounds, as JSON.
    shown: Vec<String>,
    pub(super) has_text: bool,
    pub(super) tally: UsageTally,
    size: usize,
}

impl ResponseState {
    pub(super) fn new(names: HiddenNames) -> Self {
        Self { names, rounds: 0, shown: Vec::new(), has_text: false, tally: UsageTally::default(), size: 0 }
    }

    /// The turn with these items, whose ranges refer to `data`; `None` when the client must answer too.
    pub(super) fn turn(&mut self, items: &[ResponseItem<'_>], data: &[u8]) -> Option<HiddenTurn> {
        let is_hidden = |item: &ResponseItem<'_>| item.calls(self.names);
        let own = items.iter().filter(|item| !is_hidden(item));
        self.size += items.iter().map(|item| item.place.len()).sum::<usize>();
        let is_mixed = waits_for_client(self.names, items);
        if is_mixed || self.size > MAX_HELD_BYTES || !items.iter().any(is_hidden) {
            return None;
        }
        let asks = items.iter().filter(|item| is_hidden(item)).map(|item| turn::ask(item, data)).collect();
        let messages: Vec<_> = items.iter().map(|item| string::raw(&item.place, data)).collect();
        self.has_text |= own.clone().any(|item| item.kind == "message");
        self.shown.extend(own.map(|item| string::raw(&item.place, data)));
        Some(HiddenTurn { asks, messages: messages.join(",") })
    }

    /// A turn with only the hidden calls. When the model gets their answers, it writes the rest again, so this is
    /// only for responses that the client has not seen.
    ///
    /// The ids of the items are removed, because the provider would use them to find the rest of the response.
    pub(super) fn undone(&self, items: &[ResponseItem<'_>], data: &[u8]) -> Option<HiddenTurn> {
        let calls = || items.iter().filter(|item| item.calls(self.names));
        let asks: Vec<_> = calls().map(|item| turn::ask(item, data)).collect();
        let messages: Vec<_> = calls().map(|item| turn::nameless(item, data)).collect();
        (!asks.is_empty()).then(|| HiddenTurn { asks, messages: messages.join(",") })
    }

    /// The changes that every response object needs.
    pub(super) fn patch(&self, answer: &ResponseObject<'_>, data: &[u8]) -> BytePatch {
        let mut patch = BytePatch::default();
        answer.untool(self.names, data, &mut patch);
        if answer.usage(data).is_some() {
            self.tally.write("usage", &JsonNode::at(answer.place.clone(), data), &mut patch);
        }
        patch
    }

    /// Writes the items of all rounds into a response object.
    pub(super) fn list(&self, answer: &ResponseObject<'_>, data: &[u8], patch: &mut BytePatch) {
        let own = answer.items.iter().filter(|item| !item.calls(self.names));
        let own: Vec<_> = own.map(|item| string::raw(&item.place, data)).collect();
        if own.len() < answer.items.len() || !self.shown.is_empty() {
            self.output(&own, answer, patch);
        }
    }

    /// The changes to the response object of a closed turn; the client has already seen the items of this turn.
    pub(super) fn patch_closed(&self, answer: &ResponseObject<'_>, data: &[u8]) -> BytePatch {
        let mut patch = self.patch(answer, data);
        if !answer.items.is_empty() {
            self.output(&[], answer, &mut patch);
        }
        patch
    }

    fn output(&self, own: &[String], answer: &ResponseObject<'_>, patch: &mut BytePatch) {
        if let Some(place) = &answer.output {
            patch.put(place.clone(), list::of(self.shown.iter().chain(own).map(String::as_str)));
        }
    }

    /// A message for a client that would otherwise get no text; `None` when the client has text to read.
    pub(super) fn excuse(&mut self) -> Option<Value> {
        if self.has_text {
            return None;
        }
        let part = json!({"type": "output_text", "text": KEPT_ASKING, "annotations": []});
        let message = json!({"id": "msg_left_out", "type": "message",
            "status": "completed", "role": "assistant", "content": [part]});
        self.shown.push(message.to_string());
        Some(message)
    }
}

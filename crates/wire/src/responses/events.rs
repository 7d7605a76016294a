//! Removes calls of hidden tools from a streamed response, and merges its rounds into one response.

use serde_json::{Value, json};
use tersely_json::{BytePatch, list, string};

use super::event::ResponseEvent;
use super::object::{ResponseItem, ResponseObject};
use super::response_state::ResponseState;
use crate::hidden::events::EventMeaning;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTurn, MAX_HELD_BYTES};
use crate::hidden::watch::CloseReason;
use crate::protocol::failure::RoundFailure;
use crate::protocol::framing::EventFrame;

/// A streamed response, across all its rounds.
pub(super) struct ResponsesEvents {
    state: ResponseState,
    /// The id of the response in its first event, as JSON.
    id: Option<String>,
    /// The sequence number of the next event.
    next: u64,
    /// The number of items that the client has seen in earlier rounds.
    base: u64,
    round: Round,
    /// The end of the latest turn, held back.
    ending: Ending,
}

/// One response from the upstream.
#[derive(Default)]
struct Round {
    /// The numbers of hidden items, in order.
    hidden: Vec<u64>,
    /// The highest number of an item, plus one.
    top: u64,
    /// Each complete item, with its number.
    items: Vec<(u64, String)>,
    size: usize,
    ending: Ending,
}

/// The last events of a round, held back until it is known whether another round follows.
#[derive(Default)]
struct Ending {
    end: Vec<u8>,
    done: Vec<u8>,
}

/// The maximum number of hidden calls in one round. Further calls are forwarded unchecked.
const MAX_HIDDEN: usize = 1024;

impl ResponsesEvents {
    pub(super) fn new(names: HiddenNames) -> Self {
        let (round, ending) = (Round::default(), Ending::default());
        Self { state: ResponseState::new(names), id: None, next: 0, base: 0, round, ending }
    }

    fn take(&mut self, frame: EventFrame<'_>, event: &ResponseEvent<'_>, out: &mut Vec<u8>) {
        let index = self.round.meet(self.state.names, event);
        if self.id.is_none() {
            let place = event.answer.as_ref().and_then(|answer| answer.id.as_ref());
            self.id = place.map(|place| string::raw(place, event.data));
        }
        let is_dropped = event.is_opening() && self.state.rounds > 0;
        if is_dropped || index.is_some_and(|index| self.round.is_hidden(index)) {
            return;
        }
        if !event.is_end() {
            return self.write(self.event_patch(event), frame, event, out);
        }
        if let Some(usage) = event.answer.as_ref().and_then(|answer| answer.usage(event.data)) {
            self.state.tally.record(&usage);
        }
        if self.round.hidden.is_empty() {
            self.write(self.end_patch(event), frame, event, out);
        } else {
            self.round.ending.end = frame.raw.to_vec();
        }
    }

    /// The changes to an event that does not end the response.
    fn event_patch(&self, event: &ResponseEvent<'_>) -> BytePatch {
        let mut patch = BytePatch::default();
        if let Some(answer) = &event.answer {
            answer.untool(self.state.names, event.data, &mut patch);
        }
        if let Some((place, index)) = event.index.clone().zip(event.index()) {
            let lower = self.round.hidden.partition_point(|hidden| *hidden < index) as u64;
            let shown = (index - lower.min(index)).saturating_add(self.base);
            if shown != index {
                patch.put(place, shown.to_string());
            }
        }
        patch
    }

    /// The changes to an event that ends the response.
    fn end_patch(&self, event: &ResponseEvent<'_>) -> BytePatch {
        let Some(answer) = &event.answer else { return BytePatch::default() };
        let mut patch = self.state.patch(answer, event.data);
        self.name(event, answer, &mut patch);
        // If the server does not list its items in the last event, they are not added.
        if !answer.items.is_empty() || self.round.top == 0 {
            self.state.list(answer, event.data, &mut patch);
        }
        patch
    }

    /// Restores the id of the first event, because clients expect the same id until the end.
    fn name(&self, event: &ResponseEvent<'_>, answer: &ResponseObject<'_>, patch: &mut BytePatch) {
        let Some((place, id)) = answer.id.as_ref().zip(self.id.as_ref()) else { return };
        if string::raw(place, event.data) != *id {
            patch.put(place.clone(), id.clone());
        }
    }

    /// Appends an event with its changes, with new numbers if earlier events or items were hidden.
    fn write(
        &mut self,
        mut patch: BytePatch,
        frame: EventFrame<'_>,
        event: &ResponseEvent<'_>,
        out: &mut Vec<u8>,
    ) {
        self.number(event, &mut patch);
        self.state.has_text |= event.item.as_ref().is_some_and(|item| item.kind == "message");
        frame.write(patch, event.data, out);
    }

    fn number(&mut self, event: &ResponseEvent<'_>, patch: &mut BytePatch) {
        let Some((place, number)) = event.sequence.clone().zip(event.sequence()) else { return };
        let has_shifted = self.state.rounds > 0 || !self.round.hidden.is_empty();
        let shown = if has_shifted { self.next } else { number };
        if shown != number {
            patch.put(place, shown.to_string());
        }
        self.next = shown.saturating_add(1);
    }
}

impl EventMeaning for ResponsesEvents {
    fn event(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let Some(data) = frame.data() else { return out.extend_from_slice(frame.raw) };
        match ResponseEvent::read(&data) {
            Some(event) => self.take(frame, &event, out),
            None if data.trim_ascii() == b"[DONE]" && !self.round.ending.end.is_empty() => {
                self.round.ending.done = frame.raw.to_vec();
            }
            None => out.extend_from_slice(frame.raw),
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let frame = std::mem::take(&mut self.round.ending.end);
        let data = EventFrame::sse(&frame).data().unwrap_or_default();
        let event = ResponseEvent::read(&data);
        self.state.tally.end_round();
        let turn = event.as_ref().and_then(|event| self.turn(event));
        if turn.is_none()
            && let Some(event) = &event
        {
            self.write(self.end_patch(event), EventFrame::sse(&frame), event, out);
            out.extend_from_slice(&self.round.ending.done);
        }
        self.state.rounds += 1;
        let round = std::mem::take(&mut self.round);
        self.base = self.base.saturating_add(round.top.saturating_sub(round.hidden.len() as u64));
        drop(data);
        self.ending = Ending { end: frame, done: round.ending.done };
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        let ending = std::mem::take(&mut self.ending);
        let frame = EventFrame::sse(&ending.end);
        let data = frame.data().unwrap_or_default();
        let event = ResponseEvent::read(&data);
        match (why, event.as_ref().and_then(|event| Some((event, event.answer.as_ref()?)))) {
            (CloseReason::Enough, Some((event, answer))) => {
                if let Some(message) = self.state.excuse() {
                    self.say(&message, out);
                }
                let mut patch = self.state.patch_closed(answer, event.data);
                self.name(event, answer, &mut patch);
                self.write(patch, frame, event, out);
                out.extend_from_slice(&ending.done);
            }
            (CloseReason::Failed(why), Some((event, answer))) => self.fail(why, event, answer, out),
            (CloseReason::Failed(why), None) => {
                let response =
                    json!({"object": "response", "status": "failed", "error": error(why), "output": []});
                self.tell(json!({"type": "response.failed", "response": response}), out);
            }
            (CloseReason::Enough, None) => {}
        }
    }
}

impl ResponsesEvents {
    /// The turn at the end of a round. Its items are in the last event, or were collected one by one.
    fn turn(&mut self, event: &ResponseEvent<'_>) -> Option<HiddenTurn> {
        let answer = event.answer.as_ref().filter(|answer| answer.is_complete(event.data))?;
        if event.kind != "response.completed" {
            return None;
        }
        if !answer.items.is_empty() {
            return self.state.turn(&answer.items, event.data);
        }
        let seen = self.round.items_json()?;
        self.state.turn(&ResponseItem::list(seen.as_bytes()), seen.as_bytes())
    }

    /// Appends the events that announce a message.
    fn say(&mut self, message: &Value, out: &mut Vec<u8>) {
        let (id, part) = (&message["id"], &message["content"][0]);
        let (text, index) = (&part["text"], self.base);
        let mut item = message.clone();
        (item["status"], item["content"]) = (json!("in_progress"), json!([]));
        let mut empty = part.clone();
        empty["text"] = json!("");
        let about = |kind: &str| json!({"type": format!("response.{kind}"), "item_id": id, "output_index": index, "content_index": 0});
        let with = |mut event: Value, name: &str, value: &Value| {
            event[name] = value.clone();
            event
        };
        let whole = |kind: &str, item: &Value| json!({"type": kind, "output_index": index, "item": item});
        let delta = with(about("output_text.delta"), "delta", text);
        let done = with(about("output_text.done"), "text", text);
        for event in [
            whole("response.output_item.added", &item),
            with(about("content_part.added"), "part", &empty),
            with(delta, "logprobs", &json!([])),
            with(done, "logprobs", &json!([])),
            with(about("content_part.done"), "part", part),
            whole("response.output_item.done", message),
        ] {
            self.tell(event, out);
        }
    }

    /// Appends the event that reports that the response failed.
    fn fail(
        &mut self,
        why: RoundFailure<'_>,
        event: &ResponseEvent<'_>,
        answer: &ResponseObject<'_>,
        out: &mut Vec<u8>,
    ) {
        let mut patch = self.state.patch_closed(answer, event.data);
        self.name(event, answer, &mut patch);
        answer.set("status", answer.status.as_ref(), &json!("failed"), &mut patch);
        answer.set("error", answer.error.as_ref(), &error(why), &mut patch);
        if let Some(place) = &event.kind_place {
            patch.put(place.clone(), json!("response.failed").to_string());
        }
        self.number(event, &mut patch);
        let data = patch.apply(event.data);
        let data = data.split(|byte| matches!(byte, b'\r' | b'\n')).collect::<Vec<_>>().concat();
        out.extend_from_slice(&[b"event: response.failed\ndata: ", data.as_slice(), b"\n\n"].concat());
    }

    /// Appends an event, with a sequence number if the other events have one.
    fn tell(&mut self, mut event: Value, out: &mut Vec<u8>) {
        if self.next > 0 {
            event["sequence_number"] = json!(self.next);
            self.next += 1;
        }
        let kind = event["type"].as_str().unwrap_or_default();
        out.extend_from_slice(format!("event: {kind}\ndata: {event}\n\n").as_bytes());
    }
}

impl Round {
    /// Records the item of an event, and returns the item's number.
    fn meet(&mut self, names: HiddenNames, event: &ResponseEvent<'_>) -> Option<u64> {
        let Some(item) = &event.item else { return event.index() };
        let index = event.index().unwrap_or(self.top);
        self.top = self.top.max(index.saturating_add(1));
        if let Err(at) = self.hidden.binary_search(&index)
            && item.calls(names)
            && self.hidden.len() < MAX_HIDDEN
        {
            self.hidden.insert(at, index);
        }
        self.size += item.place.len();
        if self.size > MAX_HELD_BYTES {
            self.items.clear();
        } else if event.kind == "response.output_item.done" {
            self.items.push((index, string::raw(&item.place, event.data)));
        }
        Some(index)
    }

    fn is_hidden(&self, index: u64) -> bool {
        self.hidden.binary_search(&index).is_ok()
    }

    /// All items in order, as an array; `None` if they were too long to collect.
    fn items_json(&mut self) -> Option<String> {
        self.items.sort_by_key(|(index, _)| *index);
        let items = self.items.iter().map(|(_, item)| item.as_str());
        (self.size <= MAX_HELD_BYTES).then(|| list::of(items))
    }
}

fn error(failure: RoundFailure<'_>) -> Value {
    json!({"code": failure.kind.unwrap_or("server_error"), "message": failure.message})
}

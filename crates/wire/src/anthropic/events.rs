//! Watches Anthropic's events. The first event of a block gives its kind, so only hidden calls are held back.

use std::borrow::Cow;

use tersely_json::{BytePatch, JsonNode, string};

use super::turn::{self, AnthropicBlock};
use super::words;
use crate::blocks::events::BlockEvents;
use crate::blocks::kind::BlockKind;
use crate::blocks::round::{BlockRounds, RoundEnd};
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::verdict::EventVerdict;
use crate::hidden::words::SILENCE;
use crate::protocol::event_format::EventFormat;
use crate::protocol::failure::RoundFailure;
use crate::protocol::framing::EventFrame;
use crate::protocol::framing::EventFrames;

pub(crate) struct AnthropicEvents {
    state: BlockRounds<AnthropicBlock>,
    /// The counts that Bedrock adds.
    metrics: UsageTally,
}

/// An event and its kind.
pub(super) struct AnthropicEvent<'a> {
    pub(super) top: JsonNode<'a>,
    pub(super) kind: Cow<'a, str>,
}

impl<'a> AnthropicEvent<'a> {
    pub(super) fn read(data: &'a [u8]) -> Option<Self> {
        let top = JsonNode::object(data)?;
        let kind = top.get("type")?.text()?;
        Some(Self { top, kind })
    }
}

/// The member of the last event that contains Bedrock's own counts.
const METRICS: &str = "amazon-bedrock-invocationMetrics";

impl BlockEvents for AnthropicEvents {
    const ERROR: fn(RoundFailure<'_>) -> String = words::error;

    fn format(&self) -> EventFormat {
        self.state.format
    }

    fn read(&mut self, frame: EventFrame<'_>, data: &[u8], out: &mut Vec<u8>) -> Option<EventVerdict> {
        let event = AnthropicEvent::read(data)?;
        match event.kind.as_ref() {
            "message_start" => self.start(&event.top),
            "content_block_start" => self.open(&event.top),
            "content_block_delta" => self.grow(&event.top),
            "content_block_stop" => self.state.shut(&event.top.get("index")?),
            "message_delta" => self.finish(&event.top, frame, out),
            "message_stop" => Some(self.stop(&event.top, frame)),
            _ => None,
        }
    }

    fn end_round(&mut self) -> RoundEnd {
        let end = self.state.end_round();
        if !matches!(end, RoundEnd::Seen) {
            self.metrics.end_round();
        }
        end
    }

    fn end_turn(&mut self, out: &mut Vec<u8>) {
        self.break_silence(out);
        let held = std::mem::take(&mut self.state.ending);
        let (rounds, tally, metrics, mut stops) =
            (self.state.rounds, &self.state.tally, &self.metrics, false);
        let mut frames = EventFrames::of(self.state.format);
        frames.take(&held, |frame| {
            let data = frame.data().unwrap_or_default();
            let Some(event) = AnthropicEvent::read(&data) else { return };
            stops |= event.kind == "message_stop";
            let mut patch = BytePatch::default();
            if let Some(reason) = event.top.get("delta").and_then(|delta| delta.get("stop_reason")) {
                patch.put(reason.span, *b"\"end_turn\"");
                if rounds > 1 {
                    tally.write("usage", &event.top, &mut patch);
                }
            }
            if let Some(counted) = event.top.get(METRICS).filter(|_| rounds > 1) {
                metrics.update(&counted, &mut patch);
            }
            frame.write(patch, &data, out);
        });
        if !stops {
            self.state.format.write("message_stop", r#"{"type":"message_stop"}"#, out);
        }
    }
}

impl AnthropicEvents {
    pub(crate) fn new(names: HiddenNames, format: EventFormat) -> Self {
        Self { state: BlockRounds::new(names, format, words::no_tokens()), metrics: UsageTally::default() }
    }

    fn start(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        if let Some(usage) = top.get("message").and_then(|message| message.get("usage")) {
            self.state.tally.record(&usage);
        }
        (self.state.rounds > 0).then_some(EventVerdict::Drop)
    }

    fn open(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, block] = top.get_all(["index", "content_block"])?;
        let block = block?;
        let kind = turn::kind(&block, self.state.names);
        let Some((place, index)) = index.and_then(|place| place.number().map(|index| (place, index))) else {
            return (kind == BlockKind::Hidden).then(|| self.state.lose_call());
        };
        self.state.round.blocks.start(index, kind, &block);
        let to = self.state.begin(index, kind);
        self.state.has_words |= has_text(&block);
        Some(EventVerdict::renumber(&place, to))
    }

    fn grow(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, delta] = top.get_all(["index", "delta"])?;
        let (place, delta) = (index?, delta?);
        let index = place.number()?;
        self.state.round.blocks.grow(index, &delta);
        self.state.has_words |= has_text(&delta);
        Some(EventVerdict::renumber(&place, self.state.round.numbers.find_open(index)?.to))
    }

    /// Handles the end of the message, and holds it back if the model waits only for the hidden tool.
    fn finish(
        &mut self,
        top: &JsonNode<'_>,
        frame: EventFrame<'_>,
        out: &mut Vec<u8>,
    ) -> Option<EventVerdict> {
        let [delta, counted] = top.get_all(["delta", "usage"])?;
        if let Some(counted) = counted {
            self.state.tally.record(&counted);
        }
        let waits = delta?.get("stop_reason")?.is_str("tool_use");
        if self.state.hold_end(waits, frame) {
            return Some(EventVerdict::Drop);
        }
        if self.state.is_merged() {
            self.break_silence(out);
        }
        let mut patch = BytePatch::default();
        if self.state.rounds > 0 {
            self.state.tally.write("usage", top, &mut patch);
        }
        Some(EventVerdict::Change(patch))
    }

    fn stop(&mut self, top: &JsonNode<'_>, frame: EventFrame<'_>) -> EventVerdict {
        let counted = top.get(METRICS);
        if let Some(counted) = &counted {
            self.metrics.record(counted);
        }
        if self.state.extend_end(frame) {
            return EventVerdict::Drop;
        }
        let mut patch = BytePatch::default();
        if let Some(counted) = counted.filter(|_| self.state.rounds > 0) {
            self.metrics.update(&counted, &mut patch);
        }
        EventVerdict::Change(patch)
    }

    fn break_silence(&mut self, out: &mut Vec<u8>) {
        let Some(index) = self.state.silence_index() else { return };
        let words = string::quote(SILENCE);
        for (name, rest) in [
            ("content_block_start", r#","content_block":{"type":"text","text":""}"#),
            ("content_block_delta", &format!(r#","delta":{{"type":"text_delta","text":{words}}}"#)),
            ("content_block_stop", ""),
        ] {
            self.state.format.write(name, &format!(r#"{{"type":"{name}","index":{index}{rest}}}"#), out);
        }
    }
}

/// True when a block, or a piece of a block, contains text.
fn has_text(part: &JsonNode<'_>) -> bool {
    part.get("text").is_some_and(|text| !text.inside().is_empty())
}

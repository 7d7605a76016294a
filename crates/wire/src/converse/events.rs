//! Watches Converse's events. The first event of a call names its tool, so only hidden calls are held back.

use tersely_json::{BytePatch, JsonNode, string};

use super::turn::{self, ConverseBlock};
use super::words;
use crate::blocks::events::BlockEvents;
use crate::blocks::kind::BlockKind;
use crate::blocks::round::{BlockRounds, RoundEnd};
use crate::hidden::names::HiddenNames;
use crate::hidden::verdict::EventVerdict;
use crate::hidden::words::SILENCE;
use crate::protocol::event_format::EventFormat;
use crate::protocol::failure::RoundFailure;
use crate::protocol::framing::{EventFrame, EventFrames};

pub(super) struct ConverseEvents {
    state: BlockRounds<ConverseBlock>,
}

impl BlockEvents for ConverseEvents {
    const ERROR: fn(RoundFailure<'_>) -> String = words::error;

    fn format(&self) -> EventFormat {
        self.state.format
    }

    fn read(&mut self, frame: EventFrame<'_>, data: &[u8], out: &mut Vec<u8>) -> Option<EventVerdict> {
        let top = JsonNode::object(data)?;
        match frame.name()? {
            "messageStart" => (self.state.rounds > 0).then_some(EventVerdict::Drop),
            "contentBlockStart" => self.open(&top),
            "contentBlockDelta" => self.grow(&top),
            "contentBlockStop" => self.state.shut(&top.get("contentBlockIndex")?),
            "messageStop" => self.finish(&top, frame, out),
            "metadata" => Some(self.count(&top, frame)),
            _ => None,
        }
    }

    fn end_round(&mut self) -> RoundEnd {
        self.state.end_round()
    }

    fn end_turn(&mut self, out: &mut Vec<u8>) {
        self.break_silence(out);
        let held = std::mem::take(&mut self.state.ending);
        let (rounds, tally) = (self.state.rounds, &self.state.tally);
        EventFrames::of(self.state.format).take(&held, |frame| {
            let data = frame.data().unwrap_or_default();
            let Some(top) = JsonNode::object(&data) else { return };
            let mut patch = BytePatch::default();
            if let Some(reason) = top.get("stopReason") {
                patch.put(reason.span, *b"\"end_turn\"");
            } else if rounds > 1 {
                tally.write("usage", &top, &mut patch);
            }
            frame.write(patch, &data, out);
        });
    }
}

impl ConverseEvents {
    pub(super) fn new(names: HiddenNames, format: EventFormat) -> Self {
        Self { state: BlockRounds::new(names, format, words::no_tokens()) }
    }

    fn open(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, start] = top.get_all(["contentBlockIndex", "start"])?;
        let start = start?;
        let kind = turn::kind(&start, self.state.names);
        let Some((place, index)) = index.and_then(|place| place.number().map(|index| (place, index))) else {
            return (kind == BlockKind::Hidden).then(|| self.state.lose_call());
        };
        self.state.round.blocks.start(index, kind, &start);
        let to = self.state.begin(index, kind);
        Some(EventVerdict::renumber(&place, to))
    }

    fn grow(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, delta] = top.get_all(["contentBlockIndex", "delta"])?;
        let (place, delta) = (index?, delta?);
        let index = place.number()?;
        self.state.round.blocks.grow(index, &delta);
        // Only calls have a start event.
        let to = match self.state.round.numbers.find_open(index) {
            Some(open) => open.to,
            None => self.state.begin(index, BlockKind::Text),
        };
        self.state.has_words |= delta.get("text").is_some_and(|text| !text.inside().is_empty());
        Some(EventVerdict::renumber(&place, to))
    }

    /// Handles the end of the message, and holds it back if the model waits only for the hidden tool.
    fn finish(
        &mut self,
        top: &JsonNode<'_>,
        frame: EventFrame<'_>,
        out: &mut Vec<u8>,
    ) -> Option<EventVerdict> {
        let waits = top.get("stopReason")?.is_str("tool_use");
        if self.state.hold_end(waits, frame) {
            return Some(EventVerdict::Drop);
        }
        if self.state.is_merged() {
            self.break_silence(out);
        }
        None
    }

    /// Handles the token counts, which follow the end of the message.
    fn count(&mut self, top: &JsonNode<'_>, frame: EventFrame<'_>) -> EventVerdict {
        if let Some(counted) = top.get("usage") {
            self.state.tally.record(&counted);
        }
        if self.state.extend_end(frame) {
            return EventVerdict::Drop;
        }
        let mut patch = BytePatch::default();
        if self.state.rounds > 0 {
            self.state.tally.write("usage", top, &mut patch);
        }
        EventVerdict::Change(patch)
    }

    fn break_silence(&mut self, out: &mut Vec<u8>) {
        let Some(index) = self.state.silence_index() else { return };
        let words = string::quote(SILENCE);
        let delta = format!(r#"{{"contentBlockIndex":{index},"delta":{{"text":{words}}}}}"#);
        self.state.format.write("contentBlockDelta", &delta, out);
        self.state.format.write("contentBlockStop", &format!(r#"{{"contentBlockIndex":{index}}}"#), out);
    }
}

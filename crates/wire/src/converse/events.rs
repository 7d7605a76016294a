//! Watches Converse's events: a call says at its start what it is, so nothing else is held.

use tersely_json::{BytePatch, JsonNode, string};

use super::turn::{self, ConverseBlocks};
use super::words;
use crate::blocks::kind::BlockKind;
use crate::blocks::numbers::BlockNumbers;
use crate::hidden::events::EventMeaning;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::verdict::EventVerdict;
use crate::hidden::watch::CloseReason;
use crate::hidden::words::SILENCE;
use crate::protocol::event_format::EventDress;
use crate::protocol::framing::{EventFrame, EventFrames};

pub(super) struct ConverseEvents {
    names: HiddenNames,
    dress: EventDress,
    tally: UsageTally,
    /// How many rounds there were.
    rounds: usize,
    /// The number of the client's next block.
    next: u64,
    /// The client has something to read or to do.
    has_words: bool,
    round: Round,
    /// The events at the end of the latest turn, which the client did not see.
    ending: Vec<u8>,
}

/// One response of the upstream.
struct Round {
    blocks: ConverseBlocks,
    numbers: BlockNumbers,
    /// The end of the message, held because the model waits for nothing but the hidden tool.
    ending: Option<Vec<u8>>,
}

impl EventMeaning for ConverseEvents {
    fn dress(&self) -> EventDress {
        self.dress
    }

    fn event(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let verdict = JsonNode::object(&data).and_then(|top| match frame.name()? {
            "messageStart" => (self.rounds > 0).then_some(EventVerdict::Drop),
            "contentBlockStart" => self.open(&top),
            "contentBlockDelta" => self.grow(&top),
            "contentBlockStop" => self.shut(&top),
            "messageStop" => self.finish(&top, frame, out),
            "metadata" => Some(self.count(&top, frame)),
            _ => None,
        });
        verdict.unwrap_or(EventVerdict::Pass).tell(frame, &data, out);
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let round =
            self.round.ending.is_some().then(|| std::mem::replace(&mut self.round, Round::new(self.next)))?;
        self.tally.end_round();
        self.rounds += 1;
        self.ending = round.ending.unwrap_or_default();
        let turn = round.blocks.turn();
        if turn.is_none() {
            self.close(CloseReason::Enough, out);
        }
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        match why {
            CloseReason::Enough => self.end_turn(out),
            CloseReason::Failed(why) => self.dress.write_error(why, &words::error(why), out),
        }
    }
}

impl Round {
    fn new(base: u64) -> Self {
        Self { blocks: ConverseBlocks::default(), numbers: BlockNumbers::new(base), ending: None }
    }

    /// A hidden call without a number: what it asks cannot be told, and the client must not see it all the same.
    fn lose_call(&mut self) -> EventVerdict {
        self.blocks.lose();
        self.numbers.hide();
        EventVerdict::Drop
    }
}

impl ConverseEvents {
    pub(super) fn new(names: HiddenNames, dress: EventDress) -> Self {
        let (tally, round) = (words::no_tokens(), Round::new(0));
        Self { names, dress, tally, rounds: 0, next: 0, has_words: false, round, ending: Vec::new() }
    }

    fn open(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, start] = top.get_all(["contentBlockIndex", "start"])?;
        let start = start?;
        let kind = turn::kind(&start, self.names);
        let Some((place, index)) = index.and_then(|place| place.number().map(|index| (place, index))) else {
            return (kind == BlockKind::Hidden).then(|| self.round.lose_call());
        };
        self.round.blocks.start(index, kind, &start);
        let to = self.begin(index, kind);
        Some(EventVerdict::numbered(&place, to))
    }

    fn grow(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, delta] = top.get_all(["contentBlockIndex", "delta"])?;
        let (place, delta) = (index?, delta?);
        let index = place.number()?;
        self.round.blocks.grow(index, &delta);
        // Only calls are said to begin.
        let to = match self.round.numbers.opened(index) {
            Some(open) => open.to,
            None => self.begin(index, BlockKind::Text),
        };
        self.has_words |= delta.get("text").is_some_and(|text| !text.inside().is_empty());
        Some(EventVerdict::numbered(&place, to))
    }

    fn begin(&mut self, index: u64, kind: BlockKind) -> Option<u64> {
        let to = self.round.numbers.begin(index, kind);
        self.next = self.next.max(to.map_or(0, |to| to.saturating_add(1)));
        self.has_words |= matches!(kind, BlockKind::Call | BlockKind::Other);
        to
    }

    fn shut(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let place = top.get("contentBlockIndex")?;
        let index = place.number()?;
        Some(EventVerdict::numbered(&place, self.round.numbers.shut(index)?.to))
    }

    /// The end of the message, unless the model waits for nothing but the hidden tool.
    fn finish(
        &mut self,
        top: &JsonNode<'_>,
        frame: EventFrame<'_>,
        out: &mut Vec<u8>,
    ) -> Option<EventVerdict> {
        let waits = top.get("stopReason")?.is_str("tool_use");
        if waits && self.round.numbers.asks_alone() {
            self.round.ending = Some(frame.raw.to_vec());
            return Some(EventVerdict::Drop);
        }
        if self.round.numbers.hides() || self.rounds > 0 {
            self.break_silence(out);
        }
        None
    }

    /// What is counted is told behind the end.
    fn count(&mut self, top: &JsonNode<'_>, frame: EventFrame<'_>) -> EventVerdict {
        if let Some(counted) = top.get("usage") {
            self.tally.hear(&counted);
        }
        if let Some(ending) = &mut self.round.ending {
            ending.extend_from_slice(frame.raw);
            return EventVerdict::Drop;
        }
        let mut patch = BytePatch::default();
        if self.rounds > 0 {
            self.tally.write("usage", top, &mut patch);
        }
        EventVerdict::Change(patch)
    }

    /// The end that was held, as if the model had not asked.
    fn end_turn(&mut self, out: &mut Vec<u8>) {
        self.break_silence(out);
        let held = std::mem::take(&mut self.ending);
        let (rounds, tally) = (self.rounds, &self.tally);
        EventFrames::of(self.dress).take(&held, |frame| {
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

    /// A message with nothing in it could not be sent again by the client.
    fn break_silence(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.has_words, true) {
            return;
        }
        let (index, words) = (self.next, string::quote(SILENCE));
        self.next += 1;
        let delta = format!(r#"{{"contentBlockIndex":{index},"delta":{{"text":{words}}}}}"#);
        self.dress.write("contentBlockDelta", &delta, out);
        self.dress.write("contentBlockStop", &format!(r#"{{"contentBlockIndex":{index}}}"#), out);
    }
}

//! Watches Anthropic's events: each block says at its start what it is, so nothing else is held.

use std::borrow::Cow;

use tersely_json::{BytePatch, JsonNode, string};

use super::turn::{self, TurnBlocks};
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
use crate::protocol::framing::EventFrame;
use crate::protocol::framing::EventFrames;

pub(crate) struct AnthropicEvents {
    names: HiddenNames,
    dress: EventDress,
    tally: UsageTally,
    /// What Bedrock counts itself.
    metrics: UsageTally,
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
    blocks: TurnBlocks,
    numbers: BlockNumbers,
    /// The end of the message, held because the model waits for nothing but the hidden tool.
    ending: Option<Vec<u8>>,
}

/// An event, and of which kind it is.
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

/// Where Bedrock says in the last event what it counts.
const METRICS: &str = "amazon-bedrock-invocationMetrics";

impl EventMeaning for AnthropicEvents {
    fn dress(&self) -> EventDress {
        self.dress
    }

    fn event(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let verdict = AnthropicEvent::read(&data).and_then(|event| match event.kind.as_ref() {
            "message_start" => self.start(&event.top),
            "content_block_start" => self.open(&event.top),
            "content_block_delta" => self.grow(&event.top),
            "content_block_stop" => self.shut(&event.top),
            "message_delta" => self.finish(&event.top, frame, out),
            "message_stop" => Some(self.stop(&event.top, frame)),
            _ => None,
        });
        verdict.unwrap_or(EventVerdict::Pass).tell(frame, &data, out);
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let round =
            self.round.ending.is_some().then(|| std::mem::replace(&mut self.round, Round::new(self.next)))?;
        self.tally.end_round();
        self.metrics.end_round();
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
        Self { blocks: TurnBlocks::default(), numbers: BlockNumbers::new(base), ending: None }
    }

    /// A hidden call without a number: what it asks cannot be told, and the client must not see it all the same.
    fn lose_call(&mut self) -> EventVerdict {
        self.blocks.lose();
        self.numbers.hide();
        EventVerdict::Drop
    }
}

impl AnthropicEvents {
    pub(crate) fn new(names: HiddenNames, dress: EventDress) -> Self {
        let (tally, round) = (words::no_tokens(), Round::new(0));
        let (metrics, ending) = (UsageTally::default(), Vec::new());
        Self { names, dress, tally, metrics, rounds: 0, next: 0, has_words: false, round, ending }
    }

    fn start(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        if let Some(usage) = top.get("message").and_then(|message| message.get("usage")) {
            self.tally.hear(&usage);
        }
        (self.rounds > 0).then_some(EventVerdict::Drop)
    }

    fn open(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, block] = top.get_all(["index", "content_block"])?;
        let block = block?;
        let kind = turn::kind(&block, self.names);
        let round = &mut self.round;
        let Some((place, index)) = index.and_then(|place| place.number().map(|index| (place, index))) else {
            return (kind == BlockKind::Hidden).then(|| round.lose_call());
        };
        round.blocks.start(index, kind, &block);
        let to = round.numbers.begin(index, kind);
        self.next = self.next.max(to.map_or(0, |to| to.saturating_add(1)));
        self.has_words |= matches!(kind, BlockKind::Call | BlockKind::Other) || has_text(&block);
        Some(EventVerdict::numbered(&place, to))
    }

    fn grow(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let [index, delta] = top.get_all(["index", "delta"])?;
        let (place, delta) = (index?, delta?);
        let index = place.number()?;
        self.round.blocks.grow(index, &delta);
        self.has_words |= has_text(&delta);
        Some(EventVerdict::numbered(&place, self.round.numbers.opened(index)?.to))
    }

    fn shut(&mut self, top: &JsonNode<'_>) -> Option<EventVerdict> {
        let place = top.get("index")?;
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
        let [delta, counted] = top.get_all(["delta", "usage"])?;
        if let Some(counted) = counted {
            self.tally.hear(&counted);
        }
        let waits = delta?.get("stop_reason")?.is_str("tool_use");
        if waits && self.round.numbers.asks_alone() {
            self.round.ending = Some(frame.raw.to_vec());
            return Some(EventVerdict::Drop);
        }
        if self.round.numbers.hides() || self.rounds > 0 {
            self.break_silence(out);
        }
        let mut patch = BytePatch::default();
        if self.rounds > 0 {
            self.tally.write("usage", top, &mut patch);
        }
        Some(EventVerdict::Change(patch))
    }

    fn stop(&mut self, top: &JsonNode<'_>, frame: EventFrame<'_>) -> EventVerdict {
        let counted = top.get(METRICS);
        if let Some(counted) = &counted {
            self.metrics.hear(counted);
        }
        if let Some(ending) = &mut self.round.ending {
            ending.extend_from_slice(frame.raw);
            return EventVerdict::Drop;
        }
        let mut patch = BytePatch::default();
        if let Some(counted) = counted.filter(|_| self.rounds > 0) {
            self.metrics.update(&counted, &mut patch);
        }
        EventVerdict::Change(patch)
    }

    /// The end that was held, as if the model had not asked.
    fn end_turn(&mut self, out: &mut Vec<u8>) {
        self.break_silence(out);
        let held = std::mem::take(&mut self.ending);
        let (rounds, tally, metrics, mut stops) = (self.rounds, &self.tally, &self.metrics, false);
        let mut frames = EventFrames::of(self.dress);
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
            self.dress.write("message_stop", r#"{"type":"message_stop"}"#, out);
        }
    }

    /// A message with nothing in it could not be sent again by the client.
    fn break_silence(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.has_words, true) {
            return;
        }
        let (index, words) = (self.next, string::quote(SILENCE));
        self.next += 1;
        for (name, rest) in [
            ("content_block_start", r#","content_block":{"type":"text","text":""}"#),
            ("content_block_delta", &format!(r#","delta":{{"type":"text_delta","text":{words}}}"#)),
            ("content_block_stop", ""),
        ] {
            self.dress.write(name, &format!(r#"{{"type":"{name}","index":{index}{rest}}}"#), out);
        }
    }
}

/// True when a block or a piece of one has something to read.
fn has_text(part: &JsonNode<'_>) -> bool {
    part.get("text").is_some_and(|text| !text.inside().is_empty())
}

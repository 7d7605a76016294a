//! Watches Anthropic's events: each block says at its start what it is, so nothing else is held.

use std::borrow::Cow;

use super::blocks::{Blocks, Kind, MOST_OPEN};
use super::words::{error, no_tokens, usage};
use crate::hidden::events::Events;
use crate::hidden::frames::Frame;
use crate::hidden::frames::Frames;
use crate::hidden::tally::Tally;
use crate::hidden::turn::Turn;
use crate::hidden::watch::{Close, Usage};
use crate::hidden::words::SILENCE;
use crate::json::node::Node;
use crate::json::patch::Patch;
use crate::json::text::quoted;

pub(super) struct Reply {
    name: &'static str,
    tally: Tally,
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
    blocks: Blocks,
    /// The number of the client's first block.
    base: u64,
    open: Vec<Open>,
    hidden: u64,
    calls: u64,
    /// The end of the message, held because the model waits for nothing but the hidden tool.
    ending: Option<Vec<u8>>,
}

/// A block that has not ended.
struct Open {
    index: u64,
    /// Its number for the client, who may not see it.
    to: Option<u64>,
}

/// What becomes of an event.
enum Verdict {
    Pass,
    Drop,
    Change(Patch),
}

struct Event<'a> {
    top: Node<'a>,
    kind: Cow<'a, str>,
}

impl<'a> Event<'a> {
    fn read(data: &'a [u8]) -> Option<Self> {
        let top = Node::whole(data)?;
        let kind = top.get("type")?.text()?;
        Some(Self { top, kind })
    }
}

impl Events for Reply {
    fn event(&mut self, frame: Frame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let verdict = Event::read(&data).and_then(|event| match event.kind.as_ref() {
            "message_start" => self.start(&event.top),
            "content_block_start" => self.open(&event.top),
            "content_block_delta" => self.grow(&event.top),
            "content_block_stop" => self.shut(&event.top),
            "message_delta" => self.finish(&event.top, frame, out),
            "message_stop" => self.stop(frame),
            _ => None,
        });
        match verdict.unwrap_or(Verdict::Pass) {
            Verdict::Pass => out.extend_from_slice(frame.raw),
            Verdict::Drop => {}
            Verdict::Change(patch) => frame.write(patch, &data, out),
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<Turn> {
        let round =
            self.round.ending.is_some().then(|| std::mem::replace(&mut self.round, Round::new(self.next)))?;
        self.tally.end_round();
        self.rounds += 1;
        self.ending = round.ending.unwrap_or_default();
        let turn = round.blocks.turn();
        if turn.is_none() {
            self.close(Close::Enough, out);
        }
        turn
    }

    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>) {
        match why {
            Close::Enough => self.end_turn(out),
            Close::Failed(why) => write("error", &error(why), out),
        }
    }

    fn spent(&self) -> Usage {
        usage(&self.tally)
    }
}

impl Round {
    fn new(base: u64) -> Self {
        Self { blocks: Blocks::default(), base, open: Vec::new(), hidden: 0, calls: 0, ending: None }
    }

    fn opened(&self, index: u64) -> Option<&Open> {
        self.open.iter().rev().find(|open| open.index == index)
    }
}

impl Reply {
    pub(super) fn new(name: &'static str) -> Self {
        let (tally, round) = (no_tokens(), Round::new(0));
        Self { name, tally, rounds: 0, next: 0, has_words: false, round, ending: Vec::new() }
    }

    fn start(&mut self, top: &Node<'_>) -> Option<Verdict> {
        if let Some(usage) = top.get("message").and_then(|message| message.get("usage")) {
            self.tally.hear(&usage);
        }
        (self.rounds > 0).then_some(Verdict::Drop)
    }

    fn open(&mut self, top: &Node<'_>) -> Option<Verdict> {
        let [index, block] = top.gets(["index", "content_block"])?;
        let (place, block) = (index?, block?);
        let index = place.number()?;
        let kind = Kind::of(&block, self.name);
        let round = &mut self.round;
        round.blocks.start(index, kind, &block);
        let to = round.base.saturating_add(index).saturating_sub(round.hidden);
        let to = (kind != Kind::Hidden).then_some(to);
        if round.open.len() < MOST_OPEN {
            round.open.push(Open { index, to });
        }
        round.hidden += u64::from(kind == Kind::Hidden);
        round.calls += u64::from(kind == Kind::Call);
        self.next = self.next.max(to.map_or(0, |to| to.saturating_add(1)));
        self.has_words |= matches!(kind, Kind::Call | Kind::Other) || has_text(&block);
        Some(numbered(&place, to))
    }

    fn grow(&mut self, top: &Node<'_>) -> Option<Verdict> {
        let [index, delta] = top.gets(["index", "delta"])?;
        let (place, delta) = (index?, delta?);
        let index = place.number()?;
        self.round.blocks.grow(index, &delta);
        self.has_words |= has_text(&delta);
        Some(numbered(&place, self.round.opened(index)?.to))
    }

    fn shut(&mut self, top: &Node<'_>) -> Option<Verdict> {
        let place = top.get("index")?;
        let index = place.number()?;
        let to = self.round.opened(index)?.to;
        self.round.open.retain(|open| open.index != index);
        Some(numbered(&place, to))
    }

    /// The end of the message, unless the model waits for nothing but the hidden tool.
    fn finish(&mut self, top: &Node<'_>, frame: Frame<'_>, out: &mut Vec<u8>) -> Option<Verdict> {
        let [delta, counted] = top.gets(["delta", "usage"])?;
        if let Some(counted) = counted {
            self.tally.hear(&counted);
        }
        let waits = delta?.get("stop_reason")?.says("tool_use");
        let Round { hidden, calls, .. } = self.round;
        if waits && hidden > 0 && calls == 0 {
            self.round.ending = Some(frame.raw.to_vec());
            return Some(Verdict::Drop);
        }
        if hidden > 0 || self.rounds > 0 {
            self.break_silence(out);
        }
        let mut patch = Patch::default();
        if self.rounds > 0 {
            self.tally.write("usage", top, &mut patch);
        }
        Some(Verdict::Change(patch))
    }

    fn stop(&mut self, frame: Frame<'_>) -> Option<Verdict> {
        let ending = self.round.ending.as_mut()?;
        ending.extend_from_slice(frame.raw);
        Some(Verdict::Drop)
    }

    /// The end that was held, as if the model had not asked.
    fn end_turn(&mut self, out: &mut Vec<u8>) {
        self.break_silence(out);
        let held = std::mem::take(&mut self.ending);
        let (rounds, tally, mut stops) = (self.rounds, &self.tally, false);
        let mut frames = Frames::default();
        frames.take(&held, |frame| {
            let data = frame.data().unwrap_or_default();
            let Some(event) = Event::read(&data) else { return };
            stops |= event.kind == "message_stop";
            let mut patch = Patch::default();
            if let Some(reason) = event.top.get("delta").and_then(|delta| delta.get("stop_reason")) {
                patch.put(reason.span, *b"\"end_turn\"");
                if rounds > 1 {
                    tally.write("usage", &event.top, &mut patch);
                }
            }
            frame.write(patch, &data, out);
        });
        if !stops {
            write("message_stop", r#"{"type":"message_stop"}"#, out);
        }
    }

    /// A message with nothing in it could not be sent again by the client.
    fn break_silence(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.has_words, true) {
            return;
        }
        let (index, words) = (self.next, quoted(SILENCE));
        self.next += 1;
        for (name, rest) in [
            ("content_block_start", r#","content_block":{"type":"text","text":""}"#),
            ("content_block_delta", &format!(r#","delta":{{"type":"text_delta","text":{words}}}"#)),
            ("content_block_stop", ""),
        ] {
            write(name, &format!(r#"{{"type":"{name}","index":{index}{rest}}}"#), out);
        }
    }
}

/// True when a block or a piece of one has something to read.
fn has_text(part: &Node<'_>) -> bool {
    part.get("text").is_some_and(|text| !text.inside().is_empty())
}

fn numbered(place: &Node<'_>, to: Option<u64>) -> Verdict {
    let Some(to) = to else { return Verdict::Drop };
    if place.number() == Some(to) {
        return Verdict::Pass;
    }
    let mut patch = Patch::default();
    patch.put(place.span.clone(), to.to_string());
    Verdict::Change(patch)
}

fn write(name: &str, data: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("event: {name}\ndata: {data}\n\n").as_bytes());
}

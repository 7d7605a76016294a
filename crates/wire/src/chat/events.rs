//! Removes calls of hidden tools from a streamed answer, and merges its rounds into one answer.

use serde_json::json;

use super::calls::{PieceFate, RoundCalls};
use super::chunk::ChatChunk;
use super::merge::{ChunkView, ChunkWriter, DeltaRest, UsageView};
use super::turn::TurnMessage;
use super::words;
use crate::hidden::events::EventMeaning;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::CloseReason;
use crate::hidden::words::KEPT_ASKING;
use crate::protocol::framing::EventFrame;

/// A streamed answer, across all its rounds.
pub(super) struct ChatEvents {
    names: HiddenNames,
    writer: ChunkWriter,
    round: Round,
    rounds: usize,
    /// The end of the latest turn, held back.
    ending: Ending,
}

/// One response from the upstream.
#[derive(Default)]
struct Round {
    calls: RoundCalls,
    message: TurnMessage,
    ending: Ending,
}

/// The last events of a round, held back until it is known whether another round follows.
#[derive(Default)]
struct Ending {
    reason: Option<String>,
    finish: Vec<u8>,
    usage: Vec<u8>,
    done: Vec<u8>,
}

impl ChatEvents {
    pub(super) fn new(names: HiddenNames) -> Self {
        let (round, ending) = (Round::default(), Ending::default());
        Self { names, writer: ChunkWriter::default(), round, rounds: 0, ending }
    }

    fn chunk(&mut self, frame: EventFrame<'_>, chunk: &ChatChunk<'_>, out: &mut Vec<u8>) {
        self.writer.observe(chunk);
        let usage = if self.rounds > 0 { UsageView::Sum } else { UsageView::Original };
        let view = ChunkView { usage, ..ChunkView::default() };
        match chunk.choices {
            None => out.extend_from_slice(frame.raw),
            Some(0) if chunk.usage().is_some() && self.round.waits() => {
                self.round.ending.usage = frame.raw.to_vec();
            }
            Some(0) => self.writer.write(&view, frame, chunk, out),
            Some(_) => self.choice(view, frame, chunk, out),
        }
    }

    fn choice(
        &mut self,
        mut view: ChunkView,
        frame: EventFrame<'_>,
        chunk: &ChatChunk<'_>,
        out: &mut Vec<u8>,
    ) {
        let Round { calls, message, ending, .. } = &mut self.round;
        for part in &chunk.parts {
            message.add(&part.name, &chunk.data[part.value.clone()]);
        }
        let fates = calls.take(self.names, chunk, message, out);
        view.calls = shown_pieces(&fates);
        let is_held = chunk.reason().is_some() && calls.are_hidden();
        if let Some(reason) = chunk.reason() {
            ending.reason = Some(reason);
        }
        if is_held {
            ending.finish = frame.raw.to_vec();
            (view.finish, view.usage) = (Some("null".into()), UsageView::Null);
        }
        let is_whole = view.calls.len() == fates.len() && !is_held;
        let is_said = is_whole || !view.calls.is_empty() || self.writer.has_rest(chunk);
        if is_said {
            self.writer.write(&view, frame, chunk, out);
        }
        for (at, call) in held_pieces(&fates) {
            let rest = if is_said { DeltaRest::None } else { DeltaRest::All };
            let view = ChunkView { calls: vec![(at, call.1)], rest, ..ChunkView::default() };
            let mut event = Vec::new();
            self.writer.write(&view, frame, chunk, &mut event);
            self.round.calls.hold(call.0, event);
        }
    }

    /// Appends the events that end an answer; `reason` replaces the upstream's stop reason.
    fn finish(&mut self, reason: Option<&str>, ending: &Ending, out: &mut Vec<u8>) {
        let usage = if self.rounds > 1 { UsageView::Sum } else { UsageView::Original };
        let finish = reason.map(|reason| json!(reason).to_string());
        let rest = DeltaRest::Other("{}".into());
        self.tell(&ChunkView { rest, finish, usage, ..ChunkView::default() }, &ending.finish, out);
        self.tell(&ChunkView { usage, ..ChunkView::default() }, &ending.usage, out);
        out.extend_from_slice(&ending.done);
    }

    /// Appends the parts of a held event that `view` selects.
    fn tell(&mut self, view: &ChunkView, raw: &[u8], out: &mut Vec<u8>) {
        let frame = EventFrame::sse(raw);
        let Some(data) = frame.data() else { return };
        if let Some(chunk) = ChatChunk::read(&data) {
            self.writer.write(view, frame, &chunk, out);
        }
    }
}

impl EventMeaning for ChatEvents {
    fn event(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let Some(data) = frame.data() else { return out.extend_from_slice(frame.raw) };
        let is_done = data.trim_ascii() == b"[DONE]";
        match ChatChunk::read(&data) {
            _ if is_done && self.round.waits() => self.round.ending.done = frame.raw.to_vec(),
            Some(chunk) if !is_done => self.chunk(frame, &chunk, out),
            _ => out.extend_from_slice(frame.raw),
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let mut round = std::mem::take(&mut self.round);
        round.calls.release(None, out);
        self.writer.tally.end_round();
        self.rounds += 1;
        if round.is_turn() {
            self.writer.next_round();
            self.ending = round.ending;
            return Some(round.message.turn(self.rounds, round.calls.into_values()));
        }
        let is_cut = round.is_cut();
        self.finish(if is_cut { None } else { Some("stop") }, &round.ending, out);
        None
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        let ending = std::mem::take(&mut self.ending);
        match why {
            CloseReason::Enough => {
                if self.writer.is_silent() {
                    let rest = DeltaRest::Other(json!({"content": KEPT_ASKING}).to_string());
                    let (finish, usage) = (Some("null".into()), UsageView::Null);
                    self.tell(
                        &ChunkView { rest, finish, usage, ..ChunkView::default() },
                        &ending.finish,
                        out,
                    );
                }
                self.finish(Some("stop"), &ending, out);
            }
            CloseReason::Failed(why) => {
                out.extend_from_slice(format!("data: {}\n\ndata: [DONE]\n\n", words::error(why)).as_bytes());
            }
        }
    }
}

impl Round {
    /// True when the end must be held back, because all calls so far are hidden.
    fn waits(&self) -> bool {
        self.calls.are_hidden()
    }

    /// True when the model's output was cut off.
    fn is_cut(&self) -> bool {
        matches!(self.ending.reason.as_deref(), None | Some("length" | "content_filter" | "error"))
    }

    fn is_turn(&self) -> bool {
        self.waits() && !self.is_cut() && !self.message.is_full()
    }
}

/// The pieces to forward, each with its call number.
fn shown_pieces(fates: &[PieceFate]) -> Vec<(usize, u64)> {
    let show = |(at, fate): (usize, &PieceFate)| match fate {
        PieceFate::Show(index) => Some((at, *index)),
        PieceFate::Hold(..) | PieceFate::Hide => None,
    };
    fates.iter().enumerate().filter_map(show).collect()
}

/// The pieces to hold, each with its call and its call number.
fn held_pieces(fates: &[PieceFate]) -> Vec<(usize, (usize, u64))> {
    let hold = |(at, fate): (usize, &PieceFate)| match fate {
        PieceFate::Hold(call, index) => Some((at, (*call, *index))),
        PieceFate::Show(_) | PieceFate::Hide => None,
    };
    fates.iter().enumerate().filter_map(hold).collect()
}

//! Watches Gemini's events. Each call arrives in one piece, so only the end of a response with a hidden call is held
//! back.

use tersely_json::{BytePatch, string};

use super::chunk::{CallSignature, GeminiChunk, PartKind};
use super::turn::TurnParts;
use super::words;
use crate::hidden::events::EventMeaning;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::{HiddenTurn, MAX_HELD_BYTES};
use crate::hidden::watch::CloseReason;
use crate::hidden::words::SILENCE;
use crate::protocol::framing::EventFrame;
use crate::protocol::framing::EventFrames;

pub(super) struct GeminiEvents {
    names: HiddenNames,
    tally: UsageTally,
    /// The number of rounds so far.
    rounds: usize,
    /// The id of the first response, as JSON.
    id: Option<Vec<u8>>,
    /// True when the client has text to read or a call to answer.
    has_words: bool,
    round: Round,
    /// The events that ended the latest turn.
    ending: Vec<u8>,
}

/// One response from the upstream.
struct Round {
    parts: TurnParts,
    hidden: usize,
    calls: usize,
    signature: CallSignature,
    /// The events from the stop reason on, held back because the model may wait only for the hidden tool.
    held: Vec<u8>,
    end: End,
}

/// The state of a response's end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    Stopped,
    /// The model's output was cut off, or the client has seen the end.
    Final,
}

/// Whether the client sees the stop reason.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finish {
    Shown,
    Hidden,
}

impl EventMeaning for GeminiEvents {
    fn event(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let chunk = GeminiChunk::read(&data, self.names);
        if let Some(chunk) = &chunk {
            self.take(chunk);
        }
        let ends = chunk.is_some_and(|chunk| chunk.finish.is_some());
        if self.round.hidden + self.rounds == 0 {
            return out.extend_from_slice(frame.raw);
        }
        let waits = self.round.hidden > 0 && self.round.end == End::Stopped;
        if waits && (ends || !self.round.held.is_empty()) {
            self.round.held.extend_from_slice(frame.raw);
        } else {
            self.write(frame, Finish::Shown, out);
        }
        if self.round.held.len() > MAX_HELD_BYTES {
            self.round.end = End::Final;
            self.release(Finish::Shown, out);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let waits = self.round.end == End::Stopped && self.round.calls == 0 && !self.round.held.is_empty();
        let parts = waits.then(|| std::mem::take(&mut self.round.parts));
        let turn = parts.and_then(TurnParts::turn);
        if turn.is_some() {
            self.ending.clone_from(&self.round.held);
            self.release(Finish::Hidden, out);
            self.tally.end_round();
            self.rounds += 1;
            self.round = Round::new();
        } else {
            self.release(Finish::Shown, out);
        }
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        match why {
            CloseReason::Enough => self.finish(out),
            CloseReason::Failed(why) => {
                out.extend_from_slice(format!("data: {}\n\n", words::error(why)).as_bytes());
            }
        }
    }
}

impl Round {
    fn new() -> Self {
        Self {
            parts: TurnParts::default(),
            hidden: 0,
            calls: 0,
            signature: CallSignature::default(),
            held: Vec::new(),
            end: End::Open,
        }
    }
}

impl GeminiEvents {
    pub(super) fn new(names: HiddenNames) -> Self {
        let (tally, round, ending) = (words::no_tokens(), Round::new(), Vec::new());
        Self { names, tally, rounds: 0, id: None, has_words: false, round, ending }
    }

    /// Records the content of a chunk.
    fn take(&mut self, chunk: &GeminiChunk<'_>) {
        let id = chunk.top.get("responseId").map(|id| id.bytes().to_vec());
        self.id = self.id.take().or(id);
        let round = &mut self.round;
        if let Some(counted) = chunk.top.get("usageMetadata") {
            self.tally.record(&counted);
        }
        for (kind, part) in &chunk.parts {
            round.hidden += usize::from(*kind == PartKind::Hidden);
            round.calls += usize::from(*kind == PartKind::Call);
            self.has_words |= matches!(kind, PartKind::Call | PartKind::Words);
            round.signature.keep(*kind, part);
            round.parts.take(*kind, part);
        }
        if chunk.finish.is_some() {
            let stopped = round.end == End::Open && chunk.is_stopped() && round.hidden > 0;
            round.end = if stopped { End::Stopped } else { End::Final };
        }
    }

    /// Writes the held events.
    fn release(&mut self, finish: Finish, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.round.held);
        EventFrames::default().take(&held, |frame| self.write(frame, finish, out));
    }

    /// Writes an event without its hidden parts; an event that has none stays unchanged.
    fn write(&mut self, frame: EventFrame<'_>, finish: Finish, out: &mut Vec<u8>) {
        let data = frame.data().unwrap_or_default();
        let Some(chunk) = GeminiChunk::read(&data, self.names) else {
            return out.extend_from_slice(frame.raw);
        };
        let mut patch = BytePatch::default();
        let shows = self.say(&chunk, finish, &mut patch);
        let ends = chunk.finish.is_some() && finish == Finish::Shown;
        if !shows && !ends && (chunk.has(PartKind::Hidden) || chunk.finish.is_some()) {
            return;
        }
        if finish == Finish::Hidden {
            chunk.unfinish(&mut patch);
        }
        if self.rounds > 0 {
            self.adapt(&chunk, &mut patch);
        }
        frame.write(patch, &data, out);
    }

    /// Writes only the visible parts; returns true when any of them is not blank.
    fn say(&mut self, chunk: &GeminiChunk<'_>, finish: Finish, patch: &mut BytePatch) -> bool {
        let seen = || chunk.parts.iter().filter(|(kind, _)| *kind != PartKind::Hidden);
        let ends = chunk.finish.is_some() && finish == Finish::Shown;
        let is_silent = ends && self.round.hidden + self.rounds > 0 && !self.has_words;
        let is_signed = self.round.signature.is_kept() && chunk.has(PartKind::Call);
        if is_silent || is_signed || chunk.has(PartKind::Hidden) {
            let signature = &mut self.round.signature;
            let mut parts: Vec<_> = seen().map(|(kind, part)| signature.sign(*kind, part)).collect();
            if is_silent || parts.is_empty() {
                parts.push(text(if is_silent { SILENCE } else { "" }));
            }
            chunk.say(&parts, patch);
        }
        seen().any(|(kind, _)| *kind != PartKind::Blank)
    }

    /// Replaces the id and the usage in a chunk of a later round by those of the whole response.
    fn adapt(&self, chunk: &GeminiChunk<'_>, patch: &mut BytePatch) {
        let [id, counted] = chunk.top.get_all(["responseId", "usageMetadata"]).unwrap_or_default();
        if let Some((old, first)) = id.zip(self.id.as_ref()) {
            patch.put(old.span, first.clone());
        }
        if counted.is_some() {
            self.tally.write("usageMetadata", &chunk.top, patch);
        }
    }

    /// Writes the held end of the response, as if the model had not called the hidden tool.
    fn finish(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.ending);
        let parts = [text(if self.has_words { "" } else { SILENCE })];
        let is_first = self.rounds < 2;
        EventFrames::default().take(&held, |frame| {
            let data = frame.data().unwrap_or_default();
            let ending = GeminiChunk::read(&data, self.names).filter(|chunk| chunk.finish.is_some());
            let Some(chunk) = ending else { return };
            let mut patch = BytePatch::default();
            chunk.say(&parts, &mut patch);
            if !is_first {
                self.adapt(&chunk, &mut patch);
            }
            frame.write(patch, &data, out);
        });
    }
}

fn text(text: &str) -> Vec<u8> {
    format!(r#"{{"text":{}}}"#, string::quote(text)).into_bytes()
}

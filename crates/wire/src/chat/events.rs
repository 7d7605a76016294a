//! Takes a hidden tool's calls out of a streamed answer, and makes one answer of several rounds.

use serde_json::json;

use super::calls::{Calls, Fate};
use super::chunk::Chunk;
use super::turn::Said;
use super::voice::{Counted, Rest, View, Voice};
use super::words::{error, usage};
use crate::hidden::events::Events;
use crate::hidden::frames::Frame;
use crate::hidden::turn::Turn;
use crate::hidden::watch::{Close, Usage};
use crate::hidden::words::KEPT_ASKING;

/// An answer, over all its rounds.
pub(super) struct Reply {
    name: &'static str,
    voice: Voice,
    round: Round,
    rounds: usize,
    /// How the latest turn would have ended the answer.
    ending: Ending,
}

/// What came of a round.
#[derive(Default)]
struct Round {
    calls: Calls,
    said: Said,
    ending: Ending,
}

/// The last events of a round, which wait until it is known whether another follows.
#[derive(Default)]
struct Ending {
    reason: Option<String>,
    finish: Vec<u8>,
    usage: Vec<u8>,
    done: Vec<u8>,
}

impl Reply {
    pub(super) fn new(name: &'static str) -> Self {
        let (round, ending) = (Round::default(), Ending::default());
        Self { name, voice: Voice::default(), round, rounds: 0, ending }
    }

    fn chunk(&mut self, frame: Frame<'_>, chunk: &Chunk<'_>, out: &mut Vec<u8>) {
        self.voice.meet(chunk);
        let usage = if self.rounds > 0 { Counted::Summed } else { Counted::Came };
        let view = View { usage, ..View::default() };
        match chunk.choices {
            None => out.extend_from_slice(frame.raw),
            Some(0) if chunk.usage().is_some() && self.round.waits() => {
                self.round.ending.usage = frame.raw.to_vec();
            }
            Some(0) => self.voice.write(&view, frame, chunk, out),
            Some(_) => self.choice(view, frame, chunk, out),
        }
    }

    fn choice(&mut self, mut view: View, frame: Frame<'_>, chunk: &Chunk<'_>, out: &mut Vec<u8>) {
        let Round { calls, said, ending, .. } = &mut self.round;
        for part in &chunk.parts {
            said.hear(&part.name, &chunk.data[part.value.clone()]);
        }
        let fates = calls.take(self.name, chunk, said, out);
        view.calls = shown(&fates);
        let is_held = chunk.reason().is_some() && calls.are_hidden();
        if let Some(reason) = chunk.reason() {
            ending.reason = Some(reason);
        }
        if is_held {
            ending.finish = frame.raw.to_vec();
            (view.finish, view.usage) = (Some("null".into()), Counted::Untold);
        }
        let is_whole = view.calls.len() == fates.len() && !is_held;
        let is_said = is_whole || !view.calls.is_empty() || self.voice.has_rest(chunk);
        if is_said {
            self.voice.write(&view, frame, chunk, out);
        }
        for (at, call) in held(&fates) {
            let rest = if is_said { Rest::None } else { Rest::All };
            let view = View { calls: vec![(at, call.1)], rest, ..View::default() };
            let mut event = Vec::new();
            self.voice.write(&view, frame, chunk, &mut event);
            self.round.calls.hold(call.0, event);
        }
    }

    /// Appends the events that end an answer, with this reason in place of the one that came.
    fn finish(&mut self, reason: Option<&str>, ending: &Ending, out: &mut Vec<u8>) {
        let usage = if self.rounds > 1 { Counted::Summed } else { Counted::Came };
        let finish = reason.map(|reason| json!(reason).to_string());
        let rest = Rest::Other("{}".into());
        self.tell(&View { rest, finish, usage, ..View::default() }, &ending.finish, out);
        self.tell(&View { usage, ..View::default() }, &ending.usage, out);
        out.extend_from_slice(&ending.done);
    }

    /// Appends an event that was kept, as it is to be seen now.
    fn tell(&mut self, view: &View, raw: &[u8], out: &mut Vec<u8>) {
        let frame = Frame { raw };
        let Some(data) = frame.data() else { return };
        if let Some(chunk) = Chunk::read(&data) {
            self.voice.write(view, frame, &chunk, out);
        }
    }
}

impl Events for Reply {
    fn event(&mut self, frame: Frame<'_>, out: &mut Vec<u8>) {
        let Some(data) = frame.data() else { return out.extend_from_slice(frame.raw) };
        let is_done = data.trim_ascii() == b"[DONE]";
        match Chunk::read(&data) {
            _ if is_done && self.round.waits() => self.round.ending.done = frame.raw.to_vec(),
            Some(chunk) if !is_done => self.chunk(frame, &chunk, out),
            _ => out.extend_from_slice(frame.raw),
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<Turn> {
        let mut round = std::mem::take(&mut self.round);
        round.calls.release(None, out);
        self.voice.tally.end_round();
        self.rounds += 1;
        if round.is_turn() {
            self.voice.go_on();
            self.ending = round.ending;
            return Some(round.said.turn(self.rounds, round.calls.into_values()));
        }
        let is_cut = round.is_cut();
        self.finish(if is_cut { None } else { Some("stop") }, &round.ending, out);
        None
    }

    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>) {
        let ending = std::mem::take(&mut self.ending);
        match why {
            Close::Enough => {
                if self.voice.is_silent() {
                    let rest = Rest::Other(json!({"content": KEPT_ASKING}).to_string());
                    let (finish, usage) = (Some("null".into()), Counted::Untold);
                    self.tell(&View { rest, finish, usage, ..View::default() }, &ending.finish, out);
                }
                self.finish(Some("stop"), &ending, out);
            }
            Close::Failed(why) => {
                out.extend_from_slice(format!("data: {}\n\ndata: [DONE]\n\n", error(why)).as_bytes());
            }
        }
    }

    fn spent(&self) -> Usage {
        usage(&self.voice.tally)
    }
}

impl Round {
    /// True when its end is held back: so far, the model waits for nothing but hidden calls.
    fn waits(&self) -> bool {
        self.calls.are_hidden()
    }

    /// True when the model was stopped before it was done.
    fn is_cut(&self) -> bool {
        matches!(self.ending.reason.as_deref(), None | Some("length" | "content_filter" | "error"))
    }

    fn is_turn(&self) -> bool {
        self.waits() && !self.is_cut() && !self.said.is_full()
    }
}

/// The pieces that go on, each under its number.
fn shown(fates: &[Fate]) -> Vec<(usize, u64)> {
    let show = |(at, fate): (usize, &Fate)| match fate {
        Fate::Show(index) => Some((at, *index)),
        Fate::Hold(..) | Fate::Hide => None,
    };
    fates.iter().enumerate().filter_map(show).collect()
}

/// The pieces that wait, each with its call and its number.
fn held(fates: &[Fate]) -> Vec<(usize, (usize, u64))> {
    let hold = |(at, fate): (usize, &Fate)| match fate {
        Fate::Hold(call, index) => Some((at, (*call, *index))),
        Fate::Show(_) | Fate::Hide => None,
    };
    fates.iter().enumerate().filter_map(hold).collect()
}

//! Separates the hidden calls of a round from the client's calls while their pieces arrive.

use serde_json::{Map, Value, json};

use super::chunk::{CallPiece, ChatChunk};
use super::turn::{TurnMessage, join_values};
use crate::hidden::names::HiddenNames;

/// What to do with a piece of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceFate {
    /// Forward the piece under this call number.
    Show(u64),
    /// Hold the piece until it is known whether this call is hidden; if not, forward the piece under this call
    /// number.
    Hold(usize, u64),
    /// Never forward the piece.
    Hide,
}

/// The calls of a round, in order.
#[derive(Debug, Default)]
pub(super) struct RoundCalls {
    calls: Vec<Call>,
}

/// The maximum number of calls checked in one round. Further calls are forwarded unchecked.
const MAX_CALLS: usize = 1024;

/// The maximum number of bytes held for a call whose name has not arrived.
const MAX_NAMELESS_BYTES: usize = 1 << 20;

impl RoundCalls {
    /// Decides what to do with each piece of a chunk, and appends held pieces to `out` once their call turns out to
    /// be the client's.
    pub(super) fn take(
        &mut self,
        hidden: HiddenNames,
        chunk: &ChatChunk<'_>,
        message: &mut TurnMessage,
        out: &mut Vec<u8>,
    ) -> Vec<PieceFate> {
        let is_last = chunk.reason().is_some();
        let mut fates = Vec::new();
        for piece in &chunk.pieces {
            let Some(at) = self.place(piece, chunk.data) else {
                fates.push(PieceFate::Show(piece.index(chunk.data).unwrap_or_default()));
                continue;
            };
            // A call is complete when the next one begins.
            self.release(Some(at), out);
            let call = &mut self.calls[at];
            call.add(piece, chunk.data, message);
            call.settle(hidden, out);
            if is_last || call.is_named(piece) {
                call.release(out);
            }
            fates.push(match call.state {
                State::Client => PieceFate::Show(call.shown),
                State::Hidden => PieceFate::Hide,
                State::Unsure => PieceFate::Hold(at, call.shown),
            });
        }
        if is_last {
            self.release(None, out);
        }
        fates
    }

    /// Holds an event until it is known whether the call is hidden.
    pub(super) fn hold(&mut self, call: usize, event: Vec<u8>) {
        self.calls[call].held.push(event);
    }

    /// Treats undecided calls, except for the call `except`, as the client's.
    pub(super) fn release(&mut self, except: Option<usize>, out: &mut Vec<u8>) {
        for (_, call) in self.calls.iter_mut().enumerate().filter(|(at, _)| Some(*at) != except) {
            call.release(out);
        }
    }

    /// True when the round has calls and all of them are hidden.
    pub(super) fn are_hidden(&self) -> bool {
        !self.calls.is_empty() && self.calls.iter().all(|call| call.state == State::Hidden)
    }

    /// The calls as JSON, for sending them back.
    pub(super) fn into_values(self) -> Vec<Map<String, Value>> {
        self.calls.into_iter().map(|call| call.whole).collect()
    }

    /// Finds the call that a piece belongs to. Some servers give every call the same number, or no number.
    fn place(&mut self, piece: &CallPiece<'_>, data: &[u8]) -> Option<usize> {
        let index = piece.index(data);
        let is_new = index.is_none() && piece.id.is_empty() && !piece.name.is_empty();
        let is_same = |call: &Call| {
            index.is_none_or(|index| index == call.index)
                && (piece.id.is_empty() || call.id.is_empty() || piece.id == call.id)
        };
        match self.calls.iter().rposition(is_same).filter(|_| !is_new) {
            Some(at) => Some(at),
            None if self.calls.len() < MAX_CALLS => {
                let index = index.unwrap_or(self.calls.len() as u64);
                let is_lower = |call: &&Call| call.state == State::Hidden && call.index < index;
                let lower = self.calls.iter().filter(is_lower).count() as u64;
                self.calls.push(Call::new(index, index - lower.min(index)));
                Some(self.calls.len() - 1)
            }
            None => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unsure,
    Client,
    Hidden,
}

#[derive(Debug)]
struct Call {
    /// The upstream's number for the call.
    index: u64,
    /// The number that the client sees.
    shown: u64,
    id: String,
    name: String,
    state: State,
    /// The call so far; empty if the call is the client's.
    whole: Map<String, Value>,
    /// The events held until the name of the call is known.
    held: Vec<Vec<u8>>,
    size: usize,
}

impl Call {
    fn new(index: u64, shown: u64) -> Self {
        let (whole, held) = (Map::new(), Vec::new());
        let (id, name) = (String::new(), String::new());
        Self { index, shown, id, name, state: State::Unsure, whole, held, size: 0 }
    }

    fn add(&mut self, piece: &CallPiece<'_>, data: &[u8], message: &mut TurnMessage) {
        if self.id.is_empty() {
            self.id = piece.id.clone().into_owned();
        }
        if self.state == State::Client {
            return;
        }
        // Servers send a name all at once, in pieces, or again with every piece.
        if piece.name.starts_with(&self.name) {
            self.name = piece.name.clone().into_owned();
        } else {
            self.name.push_str(&piece.name);
        }
        self.size += piece.place.len();
        if message.fits(piece.place.len())
            && let Ok(more) = serde_json::from_slice(&data[piece.place.clone()])
        {
            self.grow(more);
        }
    }

    /// Adds a piece to the call. Unknown members are kept, because they are sent back to the server.
    fn grow(&mut self, piece: Map<String, Value>) {
        for (name, value) in piece {
            match (name.as_str(), value) {
                ("index", _) | (_, Value::Null) => {}
                ("function", Value::Object(more)) => self.call(more),
                ("id", value) if value == "" => {}
                (_, value) => drop(self.whole.insert(name, value)),
            }
        }
    }

    fn call(&mut self, piece: Map<String, Value>) {
        let now = self.whole.entry("function").or_insert(Value::Null);
        if !now.is_object() {
            *now = json!({"name": "", "arguments": ""});
        }
        let Some(now) = now.as_object_mut() else { return };
        now.insert("name".into(), json!(self.name));
        for (name, value) in piece.into_iter().filter(|(name, _)| name != "name") {
            join_values(now.entry(name).or_insert(Value::Null), value);
        }
    }

    /// Decides whether the call is hidden or the client's, as soon as its name shows which.
    fn settle(&mut self, hidden: HiddenNames, out: &mut Vec<u8>) {
        if self.state == State::Unsure && hidden.has(&self.name) {
            self.state = State::Hidden;
            self.held.clear();
        } else if !hidden.begins(&self.name) {
            self.release(out);
        }
    }

    /// True when the name is complete.
    fn is_named(&self, piece: &CallPiece<'_>) -> bool {
        self.size > MAX_NAMELESS_BYTES || (piece.has_arguments && !self.name.is_empty())
    }

    /// Treats an undecided call as the client's.
    fn release(&mut self, out: &mut Vec<u8>) {
        if self.state == State::Unsure {
            self.state = State::Client;
            out.extend(self.held.drain(..).flatten());
            self.whole.clear();
        }
    }
}

//! Watches a response that comes in events, in whatever shape they are.

use crate::hidden::frames::{Frame, Frames};
use crate::hidden::turn::Turn;
use crate::hidden::veil::{alike_event, shows};
use crate::hidden::watch::{Close, Usage, Watch};
use crate::hidden::words::UNREADABLE;

/// What a provider's events mean.
pub(crate) trait Events: Send {
    /// Takes an event; appends to `out` what may go to the client now.
    fn event(&mut self, frame: Frame<'_>, out: &mut Vec<u8>);

    /// The upstream's events are over, as with [`Watch::end`].
    fn end(&mut self, out: &mut Vec<u8>) -> Option<Turn>;

    /// Ends the client's response, as with [`Watch::close`].
    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>);

    /// What all rounds so far cost.
    fn spent(&self) -> Usage;
}

/// A watch over events of this meaning, for calls of the tool with this name.
pub(crate) fn watch_events(name: &'static str, events: impl Events + 'static) -> Box<dyn Watch> {
    let frames = Frames::default();
    Box::new(Stream { name, frames, events, is_blind: false, is_closed: false, heard: Heard::Nothing })
}

struct Stream<E> {
    name: &'static str,
    frames: Frames,
    events: E,
    /// An event was too long to be waited for: all that follows goes on as it comes.
    is_blind: bool,
    /// An event would have shown the tool: nothing follows the error that stands in its place.
    is_closed: bool,
    heard: Heard,
}

/// What came, and whether the client has seen anything of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    Nothing,
    Something,
    PassedOn,
}

impl<E: Events> Stream<E> {
    fn pass(&mut self, frame: Frame<'_>, out: &mut Vec<u8>) {
        if self.is_closed {
            return;
        }
        let (raw, start) = (alike_event(self.name, frame), out.len());
        self.events.event(Frame { raw: &raw }, out);
        if shows(self.name, &out[start..]) {
            out.truncate(start);
            self.is_closed = true;
            self.events.close(Close::Failed(UNREADABLE), out);
        }
    }
}

impl<E: Events> Watch for Stream<E> {
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.is_blind {
            return out.extend_from_slice(bytes);
        }
        let start = out.len();
        let mut frames = std::mem::take(&mut self.frames);
        frames.take(bytes, |frame| self.pass(frame, out));
        self.frames = frames;
        if self.frames.is_full() {
            self.is_blind = true;
            out.extend_from_slice(&self.frames.rest());
        }
        self.heard = match self.heard {
            Heard::PassedOn => Heard::PassedOn,
            _ if out.len() > start => Heard::PassedOn,
            Heard::Nothing if bytes.is_empty() => Heard::Nothing,
            _ => Heard::Something,
        };
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<Turn> {
        let rest = self.frames.rest();
        // An upstream may leave out the last blank line.
        if rest.iter().any(|byte| !byte.is_ascii_whitespace()) {
            let whole = [rest.as_slice(), b"\n\n"].concat();
            self.pass(Frame { raw: &whole }, out);
        }
        if self.is_blind || self.is_closed {
            return None;
        }
        let turn = self.events.end(out);
        // A client that was told nothing would take the response for lost.
        if turn.is_none() && out.is_empty() && self.heard == Heard::Something {
            self.events.close(Close::Failed(UNREADABLE), out);
        }
        turn
    }

    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>) {
        self.events.close(why, out);
    }

    fn spent(&self) -> Usage {
        self.events.spent()
    }
}

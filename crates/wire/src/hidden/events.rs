//! Watches a response that comes in events, in whatever shape they are.

use super::frames::{Frame, Frames};
use super::veil::{alike_event, shows_events};
use super::words::UNREADABLE;
use super::{Close, Turn, Usage, Watch};

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
pub(crate) fn watch(name: &'static str, events: impl Events + 'static) -> Box<dyn Watch> {
    Box::new(Stream { name, frames: Frames::default(), events, is_blind: false, told: Told::Nothing })
}

struct Stream<E> {
    name: &'static str,
    frames: Frames,
    events: E,
    /// An event was too long to be waited for: all that follows goes on as it comes.
    is_blind: bool,
    told: Told,
}

/// What the client has been told.
#[derive(PartialEq, Eq)]
enum Told {
    /// Nothing, for nothing has come.
    Nothing,
    /// Nothing, for all that came was hidden or is held.
    NotYet,
    Something,
    /// An error, in place of an event that would have shown the tool: nothing follows it.
    Error,
}

impl<E: Events> Stream<E> {
    fn pass(&mut self, frame: Frame<'_>, out: &mut Vec<u8>) {
        if self.told == Told::Error {
            return;
        }
        let (raw, start) = (alike_event(self.name, frame), out.len());
        self.events.event(Frame { raw: &raw }, out);
        if shows_events(self.name, &out[start..]) {
            out.truncate(start);
            self.fail(out);
        } else if out.len() > start {
            self.told = Told::Something;
        } else if self.told == Told::Nothing {
            self.told = Told::NotYet;
        }
    }

    fn fail(&mut self, out: &mut Vec<u8>) {
        self.told = Told::Error;
        self.events.close(Close::Failed(UNREADABLE), out);
    }
}

impl<E: Events> Watch for Stream<E> {
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.is_blind {
            return out.extend_from_slice(bytes);
        }
        let mut frames = std::mem::take(&mut self.frames);
        frames.take(bytes, |frame| self.pass(frame, out));
        self.frames = frames;
        if self.frames.is_full() {
            self.is_blind = true;
            out.extend_from_slice(&self.frames.rest());
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<Turn> {
        let rest = self.frames.rest();
        // An upstream may leave out the last blank line.
        if rest.iter().any(|byte| !byte.is_ascii_whitespace()) {
            let whole = [rest.as_slice(), b"\n\n"].concat();
            self.pass(Frame { raw: &whole }, out);
        }
        if self.is_blind || self.told == Told::Error {
            return None;
        }
        let (start, turn) = (out.len(), self.events.end(out));
        // Whatever came was hidden, and yet there is nothing to answer: a client must not wait for more.
        if turn.is_none() && out.len() == start && self.told == Told::NotYet {
            self.fail(out);
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

//! Watches a response that comes in events, in whatever shape they are.

use super::frames::{Frame, Frames};
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

/// A watch over events of this meaning.
pub(crate) fn watch(events: impl Events + 'static) -> Box<dyn Watch> {
    Box::new(Stream { frames: Frames::default(), events, is_blind: false })
}

struct Stream<E> {
    frames: Frames,
    events: E,
    /// An event was too long to be waited for: all that follows goes on as it comes.
    is_blind: bool,
}

impl<E: Events> Watch for Stream<E> {
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.is_blind {
            return out.extend_from_slice(bytes);
        }
        let Self { frames, events, .. } = self;
        frames.take(bytes, |frame| events.event(frame, out));
        if frames.is_full() {
            self.is_blind = true;
            out.extend_from_slice(&frames.rest());
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<Turn> {
        let rest = self.frames.rest();
        // An upstream may leave out the last blank line.
        if rest.iter().any(|byte| !byte.is_ascii_whitespace()) {
            let whole = [rest.as_slice(), b"\n\n"].concat();
            self.events.event(Frame { raw: &whole }, out);
        }
        if self.is_blind { None } else { self.events.end(out) }
    }

    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>) {
        self.events.close(why, out);
    }

    fn spent(&self) -> Usage {
        self.events.spent()
    }
}

//! Watches a response that arrives as one JSON value.

use std::borrow::Cow;

use crate::hidden::leak_guard;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTurn, MAX_HELD_BYTES};
use crate::hidden::watch::{CloseReason, ResponseWatch};
use crate::hidden::words::UNREADABLE;
use crate::protocol::event_format::EventFormat;

/// Reads a provider's response bodies.
pub(crate) trait BodyMeaning: Send {
    /// Takes a body, and either returns a turn or appends the client's body to `out`.
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn>;

    /// Ends the client's response, like [`ResponseWatch::close`].
    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>);
}

/// Creates a watch over these bodies, for calls of the tools with these names.
pub(crate) fn watch_whole(names: HiddenNames, bodies: impl BodyMeaning + 'static) -> Box<dyn ResponseWatch> {
    Box::new(Whole { names, held: Vec::new(), bodies, is_blind: false, is_asked: false })
}

struct Whole<B> {
    names: HiddenNames,
    held: Vec<u8>,
    bodies: B,
    /// True when the body is too long to hold: everything passes unchecked.
    is_blind: bool,
    /// True when a body was withheld from the client because it contained a turn.
    is_asked: bool,
}

impl<B: BodyMeaning> ResponseWatch for Whole<B> {
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(bytes);
        self.is_blind |= self.held.len() > MAX_HELD_BYTES;
        if self.is_blind {
            out.append(&mut self.held);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let body = std::mem::take(&mut self.held);
        if self.is_blind {
            return None;
        }
        let changed = match leak_guard::alike(self.names, &body) {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        };
        let (start, is_empty) = (out.len(), body.is_empty());
        let turn = self.bodies.body(changed.unwrap_or(body), out);
        // A client that receives nothing would treat the response as lost.
        let is_lost = turn.is_none() && out.is_empty() && (self.is_asked || !is_empty);
        self.is_asked |= turn.is_some();
        if is_lost || leak_guard::shows(self.names, EventFormat::Sse, &out[start..]) {
            out.truncate(start);
            self.bodies.close(CloseReason::Failed(UNREADABLE), out);
        }
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        self.bodies.close(why, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Withholds every body from the client.
    struct Nothing;

    impl BodyMeaning for Nothing {
        fn body(&mut self, _: Vec<u8>, _: &mut Vec<u8>) -> Option<HiddenTurn> {
            Some(HiddenTurn { asks: Vec::new(), messages: String::new() })
        }

        fn close(&mut self, _: CloseReason<'_>, _: &mut Vec<u8>) {}
    }

    #[test]
    fn a_body_too_long_to_hold_goes_on_as_it_comes() {
        let (mut watched, mut out) = (watch_whole(HiddenNames::new(&["tool"]), Nothing), Vec::new());
        watched.see(&vec![b'a'; MAX_HELD_BYTES], &mut out);
        assert_eq!(out.len(), 0);
        watched.see(b"b", &mut out);
        watched.see(b"c", &mut out);
        assert_eq!(watched.end(&mut out), None);
        assert_eq!((out.len(), &out[MAX_HELD_BYTES..]), (MAX_HELD_BYTES + 2, b"bc".as_slice()));
    }
}

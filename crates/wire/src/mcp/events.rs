//! Splits a stream of server-sent events into messages.

use std::borrow::Cow;

use crate::protocol::framing::{EventFrame, EventFrames};

/// Reads a stream of events as it arrives.
#[derive(Debug, Default)]
pub struct McpEvents {
    frames: EventFrames,
    /// True when an event was too long: everything after it passes unchecked.
    is_lost: bool,
}

/// One event, or a part of a stream that cannot be read.
#[derive(Debug)]
pub struct McpEvent {
    /// The bytes of the event, unchanged.
    pub raw: Vec<u8>,
    /// The message in the event; `None` for comments and keep-alives.
    pub message: Option<Vec<u8>>,
}

impl McpEvents {
    /// Takes bytes, and returns the events that are now complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<McpEvent> {
        if self.is_lost {
            return vec![McpEvent { raw: bytes.to_vec(), message: None }];
        }
        let mut events = Vec::new();
        self.frames.take(bytes, |frame| {
            let message = frame.data().filter(|data| !data.is_empty()).map(Cow::into_owned);
            events.push(McpEvent { raw: frame.raw.to_vec(), message });
        });
        if self.frames.is_full() {
            events.extend(self.give_up());
        }
        events
    }

    /// The number of bytes held for an incomplete event.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.frames.waiting()
    }

    /// Returns the incomplete event, and stops checking: everything after it passes unchecked.
    pub fn give_up(&mut self) -> Option<McpEvent> {
        self.is_lost = true;
        self.end()
    }

    /// Returns the incomplete event at the end of the stream.
    pub fn end(&mut self) -> Option<McpEvent> {
        let raw = self.frames.rest();
        (!raw.is_empty()).then_some(McpEvent { raw, message: None })
    }
}

impl McpEvent {
    /// Replaces the message of the event; its other lines stay unchanged.
    #[must_use]
    pub fn with(&self, message: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(message.len() + 64);
        EventFrame::sse(&self.raw).write_other(message, &mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_changed_and_the_rest_of_its_event_stays() {
        let mut events = McpEvents::default();
        assert!(
            events.feed(b"id: 7\nretry: 9\ndata: \n\n: hello\n\nevent: message\nid: 8\ndata: {\"a\"").len()
                == 2
        );
        let found = events.feed(b":1}\n\n");
        assert_eq!(found[0].message.as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(found[0].with(b"{}"), b"event: message\nid: 8\ndata: {}\n\n");
        assert!(events.end().is_none());
    }

    #[test]
    fn what_is_too_long_passes_unseen() {
        let mut events = McpEvents::default();
        let (mut fed, mut passed) = (0, 0);
        for _ in 0..20 {
            let piece = vec![b'x'; 1 << 20];
            fed += piece.len();
            passed += events.feed(&piece).iter().map(|event| event.raw.len()).sum::<usize>();
        }
        assert_eq!(events.feed(b"data: {}\n\n").iter().filter(|event| event.message.is_some()).count(), 0);
        assert_eq!(passed, fed);
    }
}

//! Watches a response that arrives as events, in any event format.

use crate::hidden::leak_guard;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::{CloseReason, ResponseWatch};
use crate::hidden::words::UNREADABLE;
use crate::protocol::event_format::EventFormat;
use crate::protocol::framing::{EventFrame, EventFrames};

/// Reads a provider's events.
pub(crate) trait EventMeaning: Send {
    /// The framing of the events.
    fn format(&self) -> EventFormat {
        EventFormat::Sse
    }

    /// Takes an event, and appends to `out` the bytes that the client gets now.
    fn event(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>);

    /// Handles the end of the upstream's events, like [`ResponseWatch::end`].
    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn>;

    /// Ends the client's response, like [`ResponseWatch::close`].
    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>);
}

/// Creates a watch over these events, for calls of the tools with these names.
pub(crate) fn watch_events(
    names: HiddenNames,
    events: impl EventMeaning + 'static,
) -> Box<dyn ResponseWatch> {
    let (format, frames) = (events.format(), EventFrames::of(events.format()));
    Box::new(Stream {
        names,
        format,
        frames,
        events,
        is_blind: false,
        is_closed: false,
        progress: StreamProgress::Nothing,
    })
}

struct Stream<E> {
    names: HiddenNames,
    format: EventFormat,
    frames: EventFrames,
    events: E,
    /// True when an event was too long to hold: everything after it passes unchecked.
    is_blind: bool,
    /// True when an event would have shown the tool, or the stream is broken. An error replaced the event, and
    /// nothing follows the error.
    is_closed: bool,
    progress: StreamProgress,
}

/// Whether bytes have arrived, and whether the client has received any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamProgress {
    Nothing,
    Something,
    PassedOn,
}

impl<E: EventMeaning> Stream<E> {
    fn pass(&mut self, frame: EventFrame<'_>, out: &mut Vec<u8>) {
        if self.is_closed {
            return;
        }
        let (raw, start) = (leak_guard::alike_event(self.names, frame), out.len());
        self.events.event(EventFrame::of(self.format, &raw), out);
        if leak_guard::shows(self.names, self.format, &out[start..]) {
            out.truncate(start);
            self.fail(out);
        }
    }

    fn fail(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.is_closed, true) {
            self.events.close(CloseReason::Failed(UNREADABLE), out);
        }
    }
}

impl<E: EventMeaning> ResponseWatch for Stream<E> {
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.is_blind {
            return out.extend_from_slice(bytes);
        }
        let start = out.len();
        let mut frames = std::mem::take(&mut self.frames);
        frames.take(bytes, |frame| self.pass(frame, out));
        self.frames = frames;
        if self.frames.is_broken() {
            self.frames.rest();
            self.fail(out);
        }
        if self.frames.is_full() {
            self.is_blind = true;
            out.extend_from_slice(&self.frames.rest());
        }
        self.progress = match self.progress {
            StreamProgress::PassedOn => StreamProgress::PassedOn,
            _ if out.len() > start => StreamProgress::PassedOn,
            StreamProgress::Nothing if bytes.is_empty() => StreamProgress::Nothing,
            _ => StreamProgress::Something,
        };
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let rest = self.frames.rest();
        let is_lines = self.format == EventFormat::Sse;
        // An upstream may omit the last blank line.
        if is_lines && rest.iter().any(|byte| !byte.is_ascii_whitespace()) {
            let whole = [rest.as_slice(), b"\n\n"].concat();
            self.pass(EventFrame::sse(&whole), out);
        }
        if self.is_blind || self.is_closed {
            return None;
        }
        let turn = self.events.end(out);
        // An incomplete message is forwarded, because no client can read it.
        if turn.is_none() && !is_lines {
            out.extend_from_slice(&rest);
        }
        // A client that receives nothing would treat the response as lost.
        if turn.is_none() && out.is_empty() && self.progress == StreamProgress::Something {
            self.events.close(CloseReason::Failed(UNREADABLE), out);
        }
        turn
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        self.events.close(why, out);
    }
}

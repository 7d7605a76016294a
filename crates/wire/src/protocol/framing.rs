//! Splits a stream into events.

use std::borrow::Cow;

use memchr::memchr2;
use tersely_json::BytePatch;

use crate::protocol::aws_event;
use crate::protocol::event_format::EventFormat;

/// One event, including its terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventFrame<'a> {
    /// The bytes of the event, unchanged.
    pub(crate) raw: &'a [u8],
    format: EventFormat,
}

impl<'a> EventFrame<'a> {
    /// Creates an event in this format.
    pub(crate) fn of(format: EventFormat, raw: &'a [u8]) -> Self {
        Self { raw, format }
    }

    /// Creates a server-sent event.
    pub(crate) fn sse(raw: &'a [u8]) -> Self {
        Self::of(EventFormat::Sse, raw)
    }

    /// The data of the event; `None` for a comment.
    pub(crate) fn data(&self) -> Option<Cow<'a, [u8]>> {
        self.format.data(self.raw)
    }

    /// The name of the event.
    pub(crate) fn name(&self) -> Option<&'a str> {
        self.format.name(self.raw)
    }

    /// Appends the event with changed data; without changes, the event stays as it is.
    pub(crate) fn write(self, patch: BytePatch, data: &[u8], out: &mut Vec<u8>) {
        match patch.apply(data) {
            Cow::Borrowed(_) => out.extend_from_slice(self.raw),
            Cow::Owned(data) => self.write_other(&data, out),
        }
    }

    /// Appends the event with this data instead of its own; the rest of the event stays unchanged.
    pub(crate) fn write_other(self, data: &[u8], out: &mut Vec<u8>) {
        self.format.change(self.raw, data, out);
    }
}

/// The maximum length of an event that is held.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// Splits a stream into events, and holds the bytes of an incomplete event.
#[derive(Debug, Default)]
pub(crate) struct EventFrames {
    format: EventFormat,
    pending: Vec<u8>,
    /// The position up to which the current line was searched for its end.
    seen: usize,
    /// The position where the current line or message begins.
    line: usize,
    /// True when a message is broken, so the start of the next message is unknown.
    is_broken: bool,
}

impl EventFrames {
    /// Starts a stream of events in this format.
    pub(crate) fn of(format: EventFormat) -> Self {
        Self { format, ..Self::default() }
    }

    /// Takes bytes, and passes each event that is now complete to `each`.
    pub(crate) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(EventFrame<'_>)) {
        self.pending.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(end) = self.next_end() {
            each(EventFrame::of(self.format, &self.pending[start..end]));
            start = end;
        }
        self.pending.drain(..start);
        self.seen -= start;
        self.line -= start;
    }

    /// Removes and returns the incomplete event.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        (self.seen, self.line) = (0, 0);
        std::mem::take(&mut self.pending)
    }

    /// The number of bytes held for an incomplete event.
    pub(crate) fn waiting(&self) -> usize {
        self.pending.len()
    }

    /// True when an event is too long to hold. The declared length of AWS messages limits them already.
    pub(crate) fn is_full(&self) -> bool {
        self.format == EventFormat::Sse && self.pending.len() > MAX_EVENT_BYTES
    }

    /// True when the rest of the stream cannot be read.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    fn next_end(&mut self) -> Option<usize> {
        match self.format {
            EventFormat::Sse => self.line_end(),
            EventFormat::Aws | EventFormat::AwsWrapped => self.message_end(),
        }
    }

    /// The position where the next message ends.
    fn message_end(&mut self) -> Option<usize> {
        let length = aws_event::length(&self.pending[self.line..]);
        self.is_broken |= length.is_err();
        self.line += length.ok().flatten()?;
        self.seen = self.line;
        Some(self.line)
    }

    /// The position where the next blank line ends. Lines end with `
    /// `, `\r
    /// ` or `\r`. A `\r` at the very end may be the first half of `\r
    /// `, so it waits for more bytes.
    fn line_end(&mut self) -> Option<usize> {
        loop {
            let Some(found) = memchr2(b'\n', b'\r', &self.pending[self.seen..]) else {
                self.seen = self.pending.len();
                return None;
            };
            let at = self.seen + found;
            let long = match (self.pending[at], self.pending.get(at + 1)) {
                (b'\r', None) => {
                    self.seen = at;
                    return None;
                }
                (b'\r', Some(b'\n')) => 2,
                _ => 1,
            };
            let blank = at == self.line;
            self.line = at + long;
            self.seen = self.line;
            if blank {
                return Some(self.line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `text` in pieces of `step` bytes; returns the events and the remaining bytes.
    fn cut(text: &str, step: usize) -> (Vec<String>, String) {
        let (mut frames, mut events) = (EventFrames::default(), Vec::new());
        for piece in text.as_bytes().chunks(step) {
            frames.take(piece, |frame| events.push(String::from_utf8_lossy(frame.raw).into_owned()));
        }
        let rest = String::from_utf8_lossy(&frames.rest()).into_owned();
        (events, rest)
    }

    fn check(text: &str, events: &[&str], rest: &str) {
        for step in 1..=text.len() {
            let (found, left) = cut(text, step);
            assert_eq!(found, events, "{step}");
            assert_eq!(left, rest, "{step}");
        }
    }

    #[test]
    fn events_end_with_a_blank_line_of_any_kind() {
        check("data: a\n\ndata: b\n\n", &["data: a\n\n", "data: b\n\n"], "");
        check("data: a\r\n\r\ndata: b\r\n\r\nx", &["data: a\r\n\r\n", "data: b\r\n\r\n"], "x");
        check("data: a\r\rdata: b", &["data: a\r\r"], "data: b");
        check(": hello\n\n\ndata: 1\n\n", &[": hello\n\n", "\n", "data: 1\n\n"], "");
        check("data: a\n\r\n", &["data: a\n\r\n"], "");
    }

    fn check_write(raw: &str, edits: &[(std::ops::Range<usize>, &str)], expected: &str) {
        let frame = EventFrame::sse(raw.as_bytes());
        let (mut patch, mut out) = (BytePatch::default(), Vec::new());
        for (place, text) in edits {
            patch.put(place.clone(), *text);
        }
        frame.write(patch, &frame.data().unwrap(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn an_event_without_changes_is_copied() {
        check_write("data:1\r\n\r\n", &[], "data:1\r\n\r\n");
    }

    #[test]
    fn only_the_places_change() {
        check_write("event: e\ndata: [1,2]\nid: 7\n\n", &[(3..4, "9")], "event: e\ndata: [1,9]\nid: 7\n\n");
        check_write("data: [1,2]\r\n\r\n", &[(3..4, "9"), (1..1, "0,")], "data: [0,1,9]\r\n\r\n");
        check_write("data: [1,2]\n\n", &[(1..4, "0"), (3..4, "9")], "data: [0]\n\n");
        check_write("data:1\r\r", &[(0..1, "2")], "data: 2\r\r");
    }

    #[test]
    fn data_of_several_lines_stays_so() {
        check_write("data: [1,\ndata: 2]\n\n", &[(1..2, "3")], "data: [3,\ndata: 2]\n\n");
    }
}

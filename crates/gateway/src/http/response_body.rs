//! The body of an upstream's response: decoded as it arrives, and inspected before it is forwarded.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap};
use http_body::{Body, Frame, SizeHint};
use tersely_wire::hidden::{MAX_HELD_BYTES, ResponseFraming, begins_message};
use tokio::time::timeout;

use crate::error::Error;
use crate::http::client::StreamPermit;
use crate::http::content_encoding::{Coding, CodingFault};
use crate::http::decompress::{Decompressor, INPUT_CHUNK_BYTES};
use crate::http::idle_timeout::TimedBody;
use crate::http::memory_budget::{BodySpace, MemoryBudget};
use crate::http::usage_tap::UsageTap;

/// The maximum number of bytes to inspect; if they do not show the framing, it counts as unknown.
const MAX_SNIFFED_BYTES: usize = 16 << 10;

/// The maximum size of the part of an error that is read before it is forwarded, and the timeout for reading it.
const MAX_ERROR_BYTES: usize = 64 << 10;
const ERROR_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum time for which the head of a response waits for the first bytes of the body.
const FIRST_BYTES_TIMEOUT: Duration = Duration::from_millis(100);

/// The beginnings of lines in a server-sent event; a comment begins with a colon.
const SSE_FIELDS: [&str; 5] = [":", "data:", "event:", "id:", "retry:"];

/// The body of an upstream's response.
pub(crate) struct UpstreamBody {
    body: TimedBody,
    /// The decoder, if the body has a content coding, and the bytes that have not been decoded yet.
    decoder: Option<Box<Decompressor>>,
    coded: Bytes,
    /// Frames that were read before they were needed.
    ahead: VecDeque<Frame<Bytes>>,
    /// Reads the token usage from the body.
    tap: Option<Box<UsageTap>>,
    _permit: Option<StreamPermit>,
}

impl UpstreamBody {
    /// Creates a body that arrives in this coding and is forwarded decoded.
    pub(crate) fn new(coding: Coding, body: TimedBody, permit: Option<StreamPermit>) -> Self {
        let decoder =
            (coding != Coding::Identity).then(|| Box::new(Decompressor::new(coding, MAX_HELD_BYTES)));
        Self { body, decoder, coded: Bytes::new(), ahead: VecDeque::new(), tap: None, _permit: permit }
    }

    /// Adds a tap, which reads the bytes that are forwarded.
    pub(crate) fn with_tap(self, tap: Option<UsageTap>) -> Self {
        Self { tap: tap.map(Box::new), ..self }
    }

    /// Waits briefly for the first bytes. If the upstream fails before it has sent any, the failure can then still be
    /// reported as an error. The wait is short because a head may arrive long before its body, and clients may need it.
    pub(crate) async fn begin(&mut self) -> Result<(), Error> {
        let first = poll_fn(|cx| {
            while self.read_ahead() == 0 && !self.is_end_stream() {
                match ready!(self.poll_more(cx)).transpose()? {
                    Some(frame) => self.ahead.push_back(frame),
                    None => break,
                }
            }
            Poll::Ready(Ok(()))
        });
        timeout(FIRST_BYTES_TIMEOUT, first).await.unwrap_or(Ok(()))
    }

    /// Waits until the first bytes show the framing; `None` if it is unknown.
    pub(crate) async fn framing(&mut self) -> Result<Option<ResponseFraming>, Error> {
        poll_fn(|cx| self.poll_framing(cx)).await
    }

    /// Polls for the framing. The inspected bytes remain in the body.
    pub(crate) fn poll_framing(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<ResponseFraming>, Error>> {
        loop {
            match guess_framing(&self.ahead) {
                FramingGuess::Framed(framing) => return Poll::Ready(Ok(Some(framing))),
                FramingGuess::Foreign => return Poll::Ready(Ok(None)),
                FramingGuess::Unsure => {}
            }
            match ready!(self.poll_more(cx)).transpose()? {
                Some(frame) => self.ahead.push_back(frame),
                None => return Poll::Ready(Ok(None)),
            }
        }
    }

    /// The number of bytes that were read ahead.
    fn read_ahead(&self) -> usize {
        self.ahead.iter().filter_map(Frame::data_ref).map(Bytes::len).sum()
    }

    /// Returns the part of the body that arrives within a short time. These bytes remain in the body.
    pub(crate) async fn read_error(&mut self) -> Vec<u8> {
        let heard = async {
            while self.read_ahead() < MAX_ERROR_BYTES {
                match poll_fn(|cx| self.poll_more(cx)).await {
                    Some(Ok(frame)) => self.ahead.push_back(frame),
                    // The error will be returned by the next read.
                    Some(Err(_)) | None => break,
                }
            }
        };
        // Bytes that have not arrived by then are left unread.
        let _ = timeout(ERROR_TIMEOUT, heard).await;
        self.ahead.iter().filter_map(Frame::data_ref).flatten().copied().take(MAX_ERROR_BYTES).collect()
    }

    /// Reads the whole body and counts its memory, if it has at most `limit` bytes and enough memory is free; otherwise
    /// the bytes remain in the body.
    pub(crate) async fn whole(&mut self, space: &BodySpace, limit: usize) -> Result<Option<Bytes>, Error> {
        let mut held = space.room();
        loop {
            let ahead = self.read_ahead();
            if ahead > limit || !space.resize(&mut held, ahead) {
                self.count_ahead(held);
                return Ok(None);
            }
            let Some(frame) = poll_fn(|cx| self.poll_more(cx)).await.transpose()? else {
                return Ok(Some(held.attach_to(concat_frames(self.ahead.drain(..)))));
            };
            self.ahead.push_back(frame);
        }
    }

    /// Counts the memory of the frames that were read ahead, until the last of them has been forwarded.
    fn count_ahead(&mut self, held: MemoryBudget) {
        if let Some(last) = self.ahead.pop_back() {
            self.ahead.push_back(last.map_data(|data| held.attach_to(data)));
        }
    }

    /// Polls for the next frame beyond those that were read ahead, and passes it to the tap.
    fn poll_more(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let polled = self.poll_next(cx);
        match (&polled, &mut self.tap) {
            (Poll::Ready(Some(Ok(frame))), Some(tap)) => tap.see(frame.data_ref().map_or(&[], |data| data)),
            (Poll::Ready(None), Some(tap)) => tap.end(),
            _ => {}
        }
        polled
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Some(decoder) = &mut self.decoder else { return Pin::new(&mut self.body).poll_frame(cx) };
        let mut out = Vec::new();
        while out.is_empty() {
            if !self.coded.is_empty() {
                let piece = self.coded.split_to(self.coded.len().min(INPUT_CHUNK_BYTES));
                decoder.feed(&piece, &mut out).map_err(decode_error)?;
                continue;
            }
            if let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(cx)).transpose()? {
                // The trailers of an encoded body describe its encoded form, so they are dropped.
                self.coded = frame.into_data().unwrap_or_default();
                continue;
            }
            decoder.finish(&mut out).map_err(decode_error)?;
            **decoder = Decompressor::new(Coding::Identity, 0);
            if out.is_empty() {
                return Poll::Ready(None);
            }
        }
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(out)))))
    }
}

impl Body for UpstreamBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match self.ahead.pop_front() {
            Some(frame) => Poll::Ready(Some(Ok(frame))),
            None => self.poll_more(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ahead.is_empty() && self.decoder.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let ahead = self.read_ahead() as u64;
        match self.body.size_hint().exact() {
            Some(rest) if self.decoder.is_none() => SizeHint::with_exact(rest + ahead),
            _ => SizeHint::default(),
        }
    }
}

/// Joins the bytes of these frames; a single frame is not copied.
fn concat_frames(frames: impl Iterator<Item = Frame<Bytes>>) -> Bytes {
    let mut pieces: Vec<Bytes> = frames.filter_map(|frame| frame.into_data().ok()).collect();
    match pieces.len() {
        1 => pieces.remove(0),
        _ => Bytes::from(pieces.concat()),
    }
}

/// Removes the headers that describe the coding of a body that has been decoded.
pub(crate) fn remove_coding(coding: Coding, headers: &mut HeaderMap) {
    if coding != Coding::Identity {
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }
}

/// The framing that the content type declares.
pub(crate) fn declared_framing(headers: &HeaderMap) -> Option<ResponseFraming> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/event-stream" => Some(ResponseFraming::Events),
        "application/vnd.amazon.eventstream" => Some(ResponseFraming::Messages),
        "application/json" => Some(ResponseFraming::Whole),
        _ => None,
    }
}

/// What the first bytes of a body show about its framing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum FramingGuess {
    /// More bytes are needed.
    Unsure,
    Framed(ResponseFraming),
    /// The bytes show no known framing.
    Foreign,
}

/// Guesses the framing from the bytes received so far.
fn guess_framing(come: &VecDeque<Frame<Bytes>>) -> FramingGuess {
    let bytes: Vec<u8> =
        come.iter().filter_map(Frame::data_ref).flatten().copied().take(MAX_SNIFFED_BYTES).collect();
    // A byte order mark may precede events and also JSON, although it should not.
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(byte);
    let start = bytes.iter().position(|byte| !is_blank(byte)).unwrap_or(bytes.len());
    // Clients skip lines that are not part of an event, so a response may begin with such a line.
    let mut lines = bytes[start..].split(|byte| matches!(byte, b'\n' | b'\r'));
    match bytes.get(start) {
        Some(b'{' | b'[') => FramingGuess::Framed(ResponseFraming::Whole),
        _ if begins_message(&bytes) => FramingGuess::Framed(ResponseFraming::Messages),
        _ if lines.any(is_field) => FramingGuess::Framed(ResponseFraming::Events),
        _ if bytes.len() < MAX_SNIFFED_BYTES => FramingGuess::Unsure,
        _ => FramingGuess::Foreign,
    }
}

/// True if the line belongs to a server-sent event.
fn is_field(line: &[u8]) -> bool {
    SSE_FIELDS.iter().any(|field| line.starts_with(field.as_bytes()))
}

fn decode_error(fault: CodingFault) -> Error {
    let what = match fault {
        CodingFault::Garbled => "is not in the content encoding it declares",
        CodingFault::TooLong => "is too long to decode",
    };
    Error::of_upstream(StatusCode::BAD_GATEWAY, format!("the upstream's response {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], expected: FramingGuess) {
        let come = pieces.iter().map(|piece| Frame::data(Bytes::from((*piece).to_owned()))).collect();
        assert_eq!(guess_framing(&come), expected, "{pieces:?}");
    }

    #[test]
    fn the_first_bytes_tell_json_from_events() {
        for whole in ["{", "{\"id\":1}", "[", "\n\n  {", "\u{feff}{"] {
            check(&[whole], FramingGuess::Framed(ResponseFraming::Whole));
        }
        for events in
            [":", ": ping\n\n", "data: {", "data:[DONE]", "event: x", "id: 1", "retry: 5", "\r\n\r\ndata:"]
        {
            check(&[events], FramingGuess::Framed(ResponseFraming::Events));
        }
        // The head of a binary message: two lengths and a checksum.
        check(&["\0\0\0\x10\0\0", "\0\0\x05"], FramingGuess::Unsure);
        let come = VecDeque::from([Frame::data(Bytes::from_static(b"\0\0\0\x10\0\0\0\0\x05\xc2\x48\xeb"))]);
        assert_eq!(guess_framing(&come), FramingGuess::Framed(ResponseFraming::Messages));
        check(&["da", "ta", ": 1"], FramingGuess::Framed(ResponseFraming::Events));
        check(&["<html>\nev: x\r", "data", ": {}"], FramingGuess::Framed(ResponseFraming::Events));
        for unsure in [&[][..], &[""], &["\n"], &["da"], &["e", "vent"], &["\u{feff}"], &["<html>", "Hello"]]
        {
            check(unsure, FramingGuess::Unsure);
        }
        for other in [" ", "dates: 1\n", "events\n", "\"text\"\n{\n", "1"] {
            check(&[&other.repeat(MAX_SNIFFED_BYTES)], FramingGuess::Foreign);
        }
    }
}

//! Buffers a body as far as the memory budget allows.

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue, TRAILER, TRANSFER_ENCODING};
use http::request::Parts;
use http_body::Body;
use http_body_util::BodyExt;

use crate::error::Error;
use crate::http::idle_timeout::TimedBody;
use crate::http::memory_budget::MemoryBudget;
use crate::http::request_body::OutgoingBody;
use crate::llm::state::GatewayState;

/// The maximum memory to reserve for the declared length of a body, before its bytes arrive.
const MAX_RESERVED_BYTES: u64 = 2 << 20;

/// The capacity of a longer buffer is a multiple of this. A conversation's next body, which is a little longer, then fits
/// where an earlier one was, and needs no fresh pages.
const CAPACITY_STEP_BYTES: usize = 128 << 10;

/// A buffered body.
pub(crate) struct WholeBody {
    pub(crate) bytes: Bytes,
    pub(crate) trailers: Option<HeaderMap>,
    pub(crate) held: MemoryBudget,
}

impl WholeBody {
    /// Converts the body, unchanged, to the body of an outgoing request.
    pub(crate) fn into_outgoing(self) -> OutgoingBody {
        OutgoingBody::whole(self.bytes, self.trailers, self.held)
    }
}

/// The result of buffering a body.
pub(crate) enum BodyRead {
    Whole(WholeBody),
    /// The budget was used up: the beginning is buffered, and the rest is streamed.
    Begun(OutgoingBody),
}

/// Buffers a body as far as the memory budget allows.
pub(crate) async fn read(gate: &GatewayState, body: TimedBody) -> Result<BodyRead, Error> {
    BegunBody::new(gate, body).read(gate).await
}

/// A body whose beginning is buffered.
pub(crate) struct BegunBody {
    buffer: BodyBuffer,
    rest: TimedBody,
    trailers: Option<HeaderMap>,
    held: MemoryBudget,
    /// True if the memory budget is used up.
    is_full: bool,
}

impl BegunBody {
    /// A body of which nothing is buffered yet.
    pub(crate) fn new(gate: &GatewayState, rest: TimedBody) -> Self {
        let (buffer, held) = (BodyBuffer::default(), gate.room());
        Self { buffer, rest, trailers: None, held, is_full: false }
    }

    /// Buffers at least this many bytes, unless the body ends before or there is no memory.
    pub(crate) async fn read_to(&mut self, gate: &GatewayState, bytes: usize) -> Result<(), Error> {
        // A body that is known to have ended is not polled again, because that could take a while.
        while self.buffer.len() < bytes && !self.is_full && !self.rest.is_end_stream() {
            let Some(frame) = self.rest.frame().await else { break };
            match frame?.into_data() {
                Ok(data) => {
                    self.is_full = !self.held.take(gate.settings.limits.memory, data.len());
                    let ahead = self.rest.size_hint().lower();
                    self.buffer.add(ahead.min(bytes.try_into().unwrap_or(u64::MAX)), data);
                }
                Err(frame) => self.trailers = frame.into_trailers().ok(),
            }
        }
        Ok(())
    }

    /// The bytes that are buffered.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    /// Buffers the rest of the body, as far as the memory budget allows; false if the body is too long to be buffered.
    pub(crate) async fn fits(&mut self, gate: &GatewayState) -> Result<bool, Error> {
        let limit = gate.settings.limits.body;
        if !self.is_longer_than(limit) {
            self.read_to(gate, limit.saturating_add(1)).await?;
        }
        Ok(!self.is_longer_than(limit))
    }

    /// True if the bytes that are buffered and those that are declared are more than `limit`.
    fn is_longer_than(&self, limit: usize) -> bool {
        let ahead = usize::try_from(self.rest.size_hint().lower()).unwrap_or(usize::MAX);
        self.buffer.len().saturating_add(ahead) > limit
    }

    /// Buffers the rest of the body, as far as the memory budget allows. A body that is too long is an error.
    pub(crate) async fn read(mut self, gate: &GatewayState) -> Result<BodyRead, Error> {
        if !self.fits(gate).await? {
            return Err(too_long(gate.settings.limits.body, self.rest));
        }
        if self.is_full {
            return Ok(BodyRead::Begun(self.into_outgoing()));
        }
        let Self { buffer, trailers, held, .. } = self;
        Ok(BodyRead::Whole(WholeBody { bytes: buffer.into_bytes(), trailers, held }))
    }

    /// Converts the body, unchanged, to the body of an outgoing request.
    pub(crate) fn into_outgoing(self) -> OutgoingBody {
        let Self { buffer, rest, trailers, held, .. } = self;
        if trailers.is_some() || rest.is_end_stream() {
            OutgoingBody::whole(buffer.into_bytes(), trailers, held)
        } else {
            OutgoingBody::partial(buffer.into_bytes(), rest, held)
        }
    }
}

/// Collects chunks of a body; a single chunk is not copied.
#[derive(Default)]
struct BodyBuffer {
    first: Bytes,
    all: BytesMut,
}

impl BodyBuffer {
    fn len(&self) -> usize {
        self.first.len() + self.all.len()
    }

    /// Adds a chunk, after which `rest` more bytes are expected.
    fn add(&mut self, rest: u64, piece: Bytes) {
        if self.len() == 0 {
            self.first = piece;
            return;
        }
        if self.all.is_empty() {
            let ahead = usize::try_from(rest.min(MAX_RESERVED_BYTES)).unwrap_or_default();
            let room = self.first.len() + piece.len() + ahead;
            let is_long = room > CAPACITY_STEP_BYTES;
            self.all.reserve(if is_long { room.next_multiple_of(CAPACITY_STEP_BYTES) } else { room });
            self.all.extend_from_slice(&std::mem::take(&mut self.first));
        }
        self.all.extend_from_slice(&piece);
    }

    fn as_slice(&self) -> &[u8] {
        if self.all.is_empty() { &self.first } else { &self.all }
    }

    fn into_bytes(self) -> Bytes {
        if self.all.is_empty() { self.first } else { self.all.freeze() }
    }
}

/// The error for a body that is too long.
fn too_long(limit: usize, body: TimedBody) -> Error {
    body.linger();
    Error::client(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is longer than {limit} bytes"))
}

pub(super) fn decoded_too_long(limit: usize) -> crate::llm::rewrite::Refusal {
    let message = format!("the decoded body is longer than {limit} bytes");
    crate::llm::rewrite::Refusal { status: StatusCode::PAYLOAD_TOO_LARGE, message }
}

/// Sets the length of a new body, and removes the coding.
pub(super) fn set_length(parts: &mut Parts, length: usize) {
    for name in [CONTENT_ENCODING, TRAILER, TRANSFER_ENCODING] {
        parts.headers.remove(name);
    }
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a body is cut into chunks, and however much is declared, the bytes are the same.
    #[test]
    fn chunks_of_any_size_make_one_body() {
        let text: Vec<u8> = (0..=u8::MAX).cycle().take(5000).collect();
        for size in [1, 2, 3, 255, 256, 4999, 5000, 9000] {
            for declared in [0, 10, 5000, u64::MAX] {
                let mut buffer = BodyBuffer::default();
                for (at, chunk) in text.chunks(size).enumerate() {
                    assert_eq!(buffer.as_slice(), &text[..at * size]);
                    buffer.add(declared, Bytes::new());
                    buffer.add(declared, Bytes::copy_from_slice(chunk));
                    assert_eq!(buffer.len(), text.len().min((at + 1) * size));
                }
                let ahead = usize::try_from(MAX_RESERVED_BYTES).unwrap() + CAPACITY_STEP_BYTES;
                assert!(buffer.all.capacity() < 2 * text.len() + ahead);
                assert_eq!(buffer.into_bytes(), text, "chunks of {size}, {declared} declared");
            }
        }
        assert!(BodyBuffer::default().into_bytes().is_empty());
    }

    #[test]
    fn a_single_chunk_is_not_copied() {
        let (mut buffer, chunk) = (BodyBuffer::default(), Bytes::from(vec![7; 100]));
        buffer.add(0, chunk.clone());
        assert_eq!(buffer.as_slice().as_ptr(), chunk.as_ptr());
        assert_eq!(buffer.into_bytes().as_ptr(), chunk.as_ptr());
    }
}

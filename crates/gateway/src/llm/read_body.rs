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
    read_after(gate, Bytes::new(), body).await
}

/// Buffers a body whose first bytes have been read.
pub(crate) async fn read_after(
    gate: &GatewayState,
    first: Bytes,
    mut body: TimedBody,
) -> Result<BodyRead, Error> {
    let limits = &gate.settings.limits;
    if usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX) > limits.body {
        return Err(too_long(limits.body, body));
    }
    let (mut held, mut trailers) = (gate.room(), None);
    let has_room = held.take(limits.memory, first.len());
    let mut buffer = BodyBuffer { first, all: BytesMut::new() };
    if !has_room {
        return Ok(BodyRead::Begun(OutgoingBody::partial(buffer.bytes(), body, held)));
    }
    // A body that is known to have ended is not polled again, because that could take a while.
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await else { break };
        let data = match frame?.into_data() {
            Ok(data) => data,
            Err(frame) => {
                trailers = frame.into_trailers().ok();
                continue;
            }
        };
        if buffer.len() + data.len() > limits.body {
            return Err(too_long(limits.body, body));
        }
        let room = held.take(limits.memory, data.len());
        buffer.add(body.size_hint().lower(), data);
        if !room {
            return Ok(BodyRead::Begun(OutgoingBody::partial(buffer.bytes(), body, held)));
        }
    }
    Ok(BodyRead::Whole(WholeBody { bytes: buffer.bytes(), trailers, held }))
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
            self.all.reserve(self.first.len() + piece.len() + ahead);
            self.all.extend_from_slice(&std::mem::take(&mut self.first));
        }
        self.all.extend_from_slice(&piece);
    }

    fn bytes(self) -> Bytes {
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

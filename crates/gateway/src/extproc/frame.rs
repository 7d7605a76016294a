//! Reads and writes the messages of a gRPC stream: a prefix of five bytes before each, and a status in the trailers.

use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use http_body::{Body as _, Frame};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use prost::Message;
use tokio::time::timeout;

use crate::http::memory_budget::MemoryBudget;
use crate::llm::GatewayState;

/// The prefix of a message: a compression flag and the length.
const PREFIX_BYTES: usize = 5;

/// What a message may contain in addition to a body: its headers and other fields of Envoy's.
const MAX_EXTRA_BYTES: usize = 1 << 20;

/// Limit for memory reserved by the claimed length of a message, before its bytes arrive.
const MAX_RESERVED_BYTES: usize = 2 << 20;

/// The status of a stream, and its message.
const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// How a stream ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum StreamEnd {
    /// With success. Envoy continues without us, whatever its failure mode.
    Fine,
    /// The service is unknown.
    NotFound,
    /// The method is unknown.
    Unimplemented,
    /// A required step failed, and why. Envoy's failure mode applies.
    Failed(&'static str),
}

/// The message for a request that had to be searched for secrets and was not.
const NOT_SEARCHED_MESSAGE: &str =
    "redact_secrets is true, and this request could not be searched for secrets";

impl StreamEnd {
    /// The end of a stream whose request was not processed: success, unless every request must be searched for secrets.
    pub(super) fn end_unprocessed(gate: &GatewayState) -> Self {
        if gate.rewrite.seals() { Self::Failed(NOT_SEARCHED_MESSAGE) } else { Self::Fine }
    }

    /// The headers with the status.
    pub(super) fn headers(self) -> HeaderMap {
        let (status, words) = match self {
            Self::Fine => ("0", ""),
            Self::NotFound => ("5", "no such service"),
            Self::Unimplemented => ("12", "nothing here; ask envoy.service.ext_proc.v3.ExternalProcessor"),
            Self::Failed(why) => ("13", why),
        };
        let words = Some(words).filter(|words| !words.is_empty()).map(HeaderValue::from_static);
        let status = (GRPC_STATUS, HeaderValue::from_static(status));
        std::iter::once(status).chain(words.map(|words| (GRPC_MESSAGE, words))).collect()
    }

    /// The same as trailers after the last message.
    pub(super) fn trailers(self) -> Frame<Bytes> {
        Frame::trailers(self.headers())
    }
}

/// Encodes a message with its prefix.
pub(super) fn encode_frame(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX_BYTES + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    // The capacity is sufficient.
    let _ = message.encode(&mut bytes);
    bytes.freeze()
}

/// The messages of a stream.
pub(super) struct Messages {
    body: Incoming,
    read: BytesMut,
    held: MemoryBudget,
}

/// The next item of a stream.
pub(super) enum Next {
    /// A message, and the memory that it uses.
    Message(Bytes, MemoryBudget),
    /// A message that exceeds a limit, or that cannot be read here.
    Unread,
    /// The end.
    End,
}

impl Messages {
    /// The messages of a request.
    pub(super) fn of(gate: &GatewayState, body: Incoming) -> Self {
        Self { body, read: BytesMut::new(), held: gate.room() }
    }

    /// The next message. How long a client takes to send the body that Envoy buffers is not up to us, so the idle
    /// timeout applies; but a message that has begun must continue.
    pub(super) async fn next(&mut self, gate: &GatewayState) -> Next {
        let (limits, timeouts) = (&gate.settings.limits, &gate.settings.timeouts);
        loop {
            if let Some(length) = self.length() {
                if length > limits.body.saturating_add(MAX_EXTRA_BYTES) || self.is_packed() {
                    return Next::Unread;
                }
                let wanted = PREFIX_BYTES + length;
                if self.read.len() >= wanted {
                    return self.take_message(gate, wanted);
                }
                self.read.reserve((wanted - self.read.len()).min(MAX_RESERVED_BYTES));
            }
            let patience = if self.read.is_empty() { timeouts.idle } else { Some(timeouts.body) };
            let Some(data) = self.data(patience).await else { return Next::End };
            self.read.extend_from_slice(&data);
            if !self.held.take(limits.memory, data.len()) {
                return Next::Unread;
            }
        }
    }

    /// The length of the next message, once its prefix has been read.
    fn length(&self) -> Option<usize> {
        let mut prefix = self.read.get(1..PREFIX_BYTES)?;
        usize::try_from(prefix.get_u32()).ok()
    }

    /// True if the next message is compressed, which we never offered to accept.
    fn is_packed(&self) -> bool {
        self.read.first().is_some_and(|flag| *flag != 0)
    }

    /// The message that has been read, with all memory reserved for it.
    fn take_message(&mut self, gate: &GatewayState, length: usize) -> Next {
        let mut message = self.read.split_to(length);
        message.advance(PREFIX_BYTES);
        let mut held = std::mem::replace(&mut self.held, gate.room());
        gate.space.resize(&mut held, message.len());
        self.held.take(gate.settings.limits.memory, self.read.len());
        Next::Message(message.freeze(), held)
    }

    /// The next bytes; `None` at the end or after the timeout.
    async fn data(&mut self, patience: Option<Duration>) -> Option<Bytes> {
        while !self.body.is_end_stream() {
            let next = self.body.frame();
            let frame = match patience {
                Some(patience) => timeout(patience, next).await.ok()?,
                None => next.await,
            };
            if let Ok(data) = frame?.ok()?.into_data() {
                return Some(data);
            }
        }
        None
    }
}

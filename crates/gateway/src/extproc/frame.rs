//! Reads and writes the messages of a gRPC stream: each has a prefix of five bytes, and a status is sent in the
//! trailers.

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

/// The size of a message's prefix: a compression flag and the length.
const PREFIX_BYTES: usize = 5;

/// The maximum size of the parts of a message other than the body: its headers and other fields from Envoy.
const MAX_EXTRA_BYTES: usize = 1 << 20;

/// The maximum memory to reserve for the declared length of a message, before its bytes arrive.
const MAX_RESERVED_BYTES: usize = 2 << 20;

/// The headers with the status of a stream and its message.
const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// How a stream ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum StreamEnd {
    /// With success. Envoy then continues without us, regardless of its failure mode.
    Fine,
    /// With an error: the service is unknown.
    NotFound,
    /// With an error: the method is unknown.
    Unimplemented,
    /// With an error: a required step failed, for this reason. Envoy's failure mode applies.
    Failed(&'static str),
}

/// The error message for a request that had to be searched for secrets and was not.
const NOT_SEARCHED_MESSAGE: &str =
    "redact_secrets is true, and this request could not be searched for secrets";

impl StreamEnd {
    /// How a stream ends whose request was not processed: with success, unless every request must be searched for
    /// secrets.
    pub(super) fn end_unprocessed(gate: &GatewayState) -> Self {
        if gate.rewrite.seals() { Self::Failed(NOT_SEARCHED_MESSAGE) } else { Self::Fine }
    }

    /// The status as headers.
    pub(super) fn headers(self) -> HeaderMap {
        let (status, words) = match self {
            Self::Fine => ("0", ""),
            Self::NotFound => ("5", "no such service"),
            Self::Unimplemented => {
                ("12", "unknown service; call envoy.service.ext_proc.v3.ExternalProcessor")
            }
            Self::Failed(why) => ("13", why),
        };
        let words = Some(words).filter(|words| !words.is_empty()).map(HeaderValue::from_static);
        let status = (GRPC_STATUS, HeaderValue::from_static(status));
        std::iter::once(status).chain(words.map(|words| (GRPC_MESSAGE, words))).collect()
    }

    /// The status as trailers, which are sent after the last message.
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
    // The buffer is large enough, so this cannot fail.
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
    /// A message that exceeds a limit, or that cannot be decoded here.
    Unread,
    /// The end of the stream.
    End,
}

impl Messages {
    /// Reads the messages of a request's body.
    pub(super) fn of(gate: &GatewayState, body: Incoming) -> Self {
        Self { body, read: BytesMut::new(), held: gate.room() }
    }

    /// Waits for the next message. Envoy buffers the client's body first, which may take any time, so the long idle
    /// timeout applies here; but a message that has begun must continue to arrive.
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

    /// The length of the next message, if its prefix has been read.
    fn length(&self) -> Option<usize> {
        let mut prefix = self.read.get(1..PREFIX_BYTES)?;
        usize::try_from(prefix.get_u32()).ok()
    }

    /// True if the next message is compressed, although we never offer to accept compression.
    fn is_packed(&self) -> bool {
        self.read.first().is_some_and(|flag| *flag != 0)
    }

    /// Takes the message that has been read, with all the memory reserved for it.
    fn take_message(&mut self, gate: &GatewayState, length: usize) -> Next {
        let mut message = self.read.split_to(length);
        message.advance(PREFIX_BYTES);
        let mut held = std::mem::replace(&mut self.held, gate.room());
        gate.space.resize(&mut held, message.len());
        self.held.take(gate.settings.limits.memory, self.read.len());
        Next::Message(message.freeze(), held)
    }

    /// Waits for more bytes; `None` at the end or after the timeout.
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

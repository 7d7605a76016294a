//! Reads and writes the messages of a gRPC stream: five bytes before each, and a status behind the last.

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

/// What stands before a message: whether it is compressed, and how long it is.
const PREFIX_BYTES: usize = 5;

/// What a message may have beside a body: its head, and what else Envoy says of it.
const MAX_EXTRA_BYTES: usize = 1 << 20;

/// What is set aside for a message before its bytes are seen, whatever length it claims.
const MAX_RESERVED_BYTES: usize = 2 << 20;

/// How a stream ended, and why.
const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// How a stream ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum StreamEnd {
    /// As it should. Envoy goes on without us, whatever it was told to do about faults.
    Fine,
    /// Nothing of this name is here.
    NotFound,
    /// Nothing of this kind is done here.
    Unimplemented,
    /// What was asked for by name could not be done, and why. Envoy does what it was told to do about faults.
    Failed(&'static str),
}

/// What is said of a request that had to be searched for secrets and was not.
const NOT_SEARCHED_MESSAGE: &str =
    "redact_secrets is true, and this request could not be searched for secrets";

impl StreamEnd {
    /// How a stream ends whose request was not heard: well, unless nothing may go on that was not searched.
    pub(super) fn unprocessed(gate: &GatewayState) -> Self {
        if gate.rewrite.seals() { Self::Failed(NOT_SEARCHED_MESSAGE) } else { Self::Fine }
    }

    /// The headers that say it.
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

    /// The same behind the last message.
    pub(super) fn trailers(self) -> Frame<Bytes> {
        Frame::trailers(self.headers())
    }
}

/// A message, ready to be sent.
pub(super) fn encode_frame(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX_BYTES + length);
    bytes.put_u8(0);
    bytes.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    // There is room for it.
    let _ = message.encode(&mut bytes);
    bytes.freeze()
}

/// The messages of a stream, one after the other.
pub(super) struct Messages {
    body: Incoming,
    read: BytesMut,
    held: MemoryBudget,
}

/// What comes next in a stream.
pub(super) enum Next {
    /// A message, and the room that it takes.
    Message(Bytes, MemoryBudget),
    /// One that there is no room for, or that is not to be read here.
    Unread,
    /// Nothing.
    End,
}

impl Messages {
    /// The messages of a request.
    pub(super) fn of(gate: &GatewayState, body: Incoming) -> Self {
        Self { body, read: BytesMut::new(), held: gate.room() }
    }

    /// The next message. How long it takes a client to send what Envoy gathers is not ours to say, so a message is waited
    /// for as long as an answer would be; but one that has begun has to go on.
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

    /// The length that the next message claims, once that has been read.
    fn length(&self) -> Option<usize> {
        let mut prefix = self.read.get(1..PREFIX_BYTES)?;
        usize::try_from(prefix.get_u32()).ok()
    }

    /// True when the next message is compressed, which nobody was told that it may be.
    fn is_packed(&self) -> bool {
        self.read.first().is_some_and(|flag| *flag != 0)
    }

    /// The message that has been read, and all room that was taken for it.
    fn take_message(&mut self, gate: &GatewayState, length: usize) -> Next {
        let mut message = self.read.split_to(length);
        message.advance(PREFIX_BYTES);
        let mut held = std::mem::replace(&mut self.held, gate.room());
        gate.space.fit(&mut held, message.len());
        self.held.take(gate.settings.limits.memory, self.read.len());
        Next::Message(message.freeze(), held)
    }

    /// The next bytes; none when no more come, or not in time.
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

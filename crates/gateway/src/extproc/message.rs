//! The messages of Envoy's protocol, with the fields that are used here; all other fields are ignored.
//!
//! Names and values of headers are bytes, because Envoy does not guarantee that they are UTF-8.

use bytes::Bytes;
use prost::{Message, Oneof};

/// A message from Envoy.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessingRequest {
    #[prost(oneof = "EnvoyRequest", tags = "2, 4, 6")]
    pub(super) said: Option<EnvoyRequest>,
    /// True if Envoy ignores our response.
    #[prost(bool, tag = "10")]
    pub(super) only_observes: bool,
    /// How bodies will be sent; only set in the first message of a stream.
    #[prost(message, optional, tag = "11")]
    pub(super) protocol: Option<Protocols>,
}

/// The part of a request that a message contains. We do not ask Envoy for parts of responses.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum EnvoyRequest {
    #[prost(message, tag = "2")]
    Head(HttpHeaders),
    #[prost(message, tag = "4")]
    Body(HttpBody),
    #[prost(message, tag = "6")]
    Trailers(HttpTrailers),
}

/// The body modes that Envoy is configured with.
#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct Protocols {
    #[prost(int32, tag = "1")]
    pub(super) request_body: i32,
}

/// How a body is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum BodyMode {
    /// The body is not sent to us, or in chunks of which Envoy keeps a copy.
    Elsewhere,
    /// The body is sent in one message, if it fits.
    Whole,
    /// The body is sent in chunks, and Envoy forwards only the chunks that we return.
    HandedOver,
}

impl Protocols {
    /// Converts Envoy's number for the mode of request bodies.
    pub(super) fn way(self) -> BodyMode {
        match self.request_body {
            2 | 3 => BodyMode::Whole,
            4 | 5 => BodyMode::HandedOver,
            _ => BodyMode::Elsewhere,
        }
    }
}

/// The head of a request.
#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpHeaders {
    #[prost(message, optional, tag = "1")]
    pub(super) map: Option<HeaderList>,
    /// True if no body follows.
    #[prost(bool, tag = "3")]
    pub(super) is_all: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HeaderList {
    #[prost(message, repeated, tag = "1")]
    pub(super) headers: Vec<NamedValue>,
}

/// A header. Its value is in one of two fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct NamedValue {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) name: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) text: Bytes,
    #[prost(bytes = "bytes", tag = "3")]
    pub(super) raw: Bytes,
}

/// A body, or a chunk of one.
#[derive(Clone, PartialEq, Message)]
pub(super) struct HttpBody {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) bytes: Bytes,
    /// True if nothing follows this chunk.
    #[prost(bool, tag = "2")]
    pub(super) is_last: bool,
    /// Information about gRPC messages in the body, which is returned unchanged.
    #[prost(bool, tag = "3")]
    is_last_without_message: bool,
    #[prost(uint32, tag = "4")]
    packed: u32,
}

impl HttpBody {
    /// True if no further chunk follows.
    pub(super) fn is_end(&self) -> bool {
        self.is_last || self.is_last_without_message
    }
}

/// Trailers; their content is ignored.
#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct HttpTrailers {}

/// A message to Envoy.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProcessingResponse {
    #[prost(oneof = "EnvoyResponse", tags = "1, 3, 5")]
    pub(super) told: Option<EnvoyResponse>,
}

/// The part of a request that a response refers to.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum EnvoyResponse {
    #[prost(message, tag = "1")]
    Head(PartResponse),
    #[prost(message, tag = "3")]
    Body(PartResponse),
    #[prost(message, tag = "5")]
    Trailers(HttpTrailers),
}

/// The change to a part of a request; if empty, the part is left unchanged.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PartResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) change: Option<PartChange>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PartChange {
    #[prost(message, optional, tag = "2")]
    pub(super) headers: Option<HeaderMutation>,
    #[prost(message, optional, tag = "3")]
    pub(super) body: Option<BodyMutation>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HeaderMutation {
    #[prost(message, repeated, tag = "1")]
    pub(super) set: Vec<HeaderSetting>,
    #[prost(string, repeated, tag = "2")]
    pub(super) remove: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct HeaderSetting {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<NamedValue>,
    #[prost(int32, tag = "3")]
    pub(super) action: i32,
}

impl HeaderSetting {
    /// Envoy's value that means: overwrite an existing header.
    pub(super) const OVERWRITE: i32 = 2;
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct BodyMutation {
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub(super) whole: Option<Bytes>,
    #[prost(message, optional, tag = "3")]
    pub(super) piece: Option<HttpBody>,
}

/// The service whose health is checked.
#[derive(Clone, PartialEq, Message)]
pub(super) struct HealthRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) service: Bytes,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct HealthResponse {
    #[prost(int32, tag = "1")]
    pub(super) status: i32,
}

impl HealthResponse {
    pub(super) const SERVING: i32 = 1;
    pub(super) const NOT_SERVING: i32 = 2;
}

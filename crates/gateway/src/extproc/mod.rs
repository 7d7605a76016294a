//! The Envoy listener: an external processor that compresses the bodies of requests that Envoy forwards itself.
//!
//! Envoy opens a gRPC stream for each request, sends the head and then the body, and receives the changes to make. The
//! dozen messages are defined by hand, because the crate with all of Envoy's messages has eighty thousand lines. The
//! server is shared with the other listeners, including its drain, metrics and limits: gRPC only adds a prefix and
//! trailers.

mod body;
mod frame;
mod handler;
mod head;
mod message;
mod request_only;
mod stream;

pub use handler::serve_processor;

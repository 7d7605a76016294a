//! The Envoy listener: an external processor that compresses the bodies of requests which Envoy forwards itself.
//!
//! Envoy opens a gRPC stream for each request, sends its head and then its body, and is told what to forward instead.
//! The dozen messages are defined by hand: the crate with all of Envoy's has eighty thousand lines. The server is the
//! same as for every other listener, with its drain, metrics and limits: gRPC only adds a prefix and trailers.

mod body;
mod frame;
mod handler;
mod head;
mod message;
mod request_only;
mod stream;

pub use handler::serve_processor;

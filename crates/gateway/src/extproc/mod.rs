//! The door for Envoy: an external processor that makes the bodies smaller which Envoy takes on to a model itself.
//!
//! Envoy opens a stream of gRPC for each request, says its head and then its body, and is told what to send instead. The
//! messages are written by hand, a dozen of them: the crate that has all of Envoy's is eighty thousand lines. The server is
//! the one of every other door, which drains, counts and bounds already: gRPC adds five bytes and a trailer to it.

mod body;
mod frame;
mod handler;
mod head;
mod message;
mod request_only;
mod stream;

pub use handler::serve_processor;

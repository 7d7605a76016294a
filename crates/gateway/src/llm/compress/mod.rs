//! The compress API, for gateways that forward the compressed messages to a model themselves.

mod handler;
pub(super) mod message;
pub(super) mod question;
mod reply;
mod retrieve;

pub(crate) use handler::{CompressRoute, NAME, answer};
pub use message::LoneAnswer;
pub use question::CompressQuestion;

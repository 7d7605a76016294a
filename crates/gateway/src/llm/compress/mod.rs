//! The door for gateways that bring messages to be made smaller, and take them on to a model themselves.

mod handler;
pub(super) mod message;
pub(super) mod question;
mod reply;
mod retrieve;

pub(crate) use handler::{CompressRoute, NAME, answer};
pub use message::LoneAnswer;
pub use question::CompressQuestion;

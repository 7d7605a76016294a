//! A tool that the model sees and the client does not: it is added to requests, answered, and removed from responses.
//!
//! The output depends only on the bytes that pass. A [`ResponseWatch`] takes the response as it arrives, and returns
//! the bytes that the client may get at once; it holds back only bytes that may be part of a hidden call.

pub(crate) mod events;
pub(crate) mod hiding;
mod leak_guard;
pub(crate) mod merged_body;
pub(crate) mod names;
pub(crate) mod tally;
pub(crate) mod turn;
pub(crate) mod verdict;
pub(crate) mod watch;
pub(crate) mod whole;
pub(crate) mod words;

pub use crate::protocol::aws_event::begins_message;
pub use crate::protocol::failure::RoundFailure;
pub use hiding::ToolHiding;
pub use names::HiddenNames;
pub use turn::{HiddenAsk, HiddenTool, HiddenTurn, MAX_HELD_BYTES};
pub use watch::{CloseReason, ResponseFraming, ResponseWatch};

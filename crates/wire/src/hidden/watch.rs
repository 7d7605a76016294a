//! Watches a response on its way to the client.

use crate::hidden::turn::HiddenTurn;
use crate::protocol::failure::RoundFailure;

/// A response on its way to the client.
///
/// A response may have several rounds: if `end` returns a turn, the upstream's next response goes to the same watch,
/// and the client sees one response. What cannot be understood passes unchanged.
pub trait ResponseWatch: Send {
    /// Takes bytes of the upstream's response, and appends to `out` what the client gets now.
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>);

    /// Ends the upstream's response. A returned turn must be answered or closed; without one, the client's response
    /// is complete.
    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn>;

    /// Ends the client's response instead of answering the latest turn.
    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>);
}

/// How a response is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseFraming {
    /// One JSON value.
    Whole,
    /// Server-sent events.
    Events,
    /// AWS event stream messages: binary, with lengths and checksums.
    Messages,
}

/// Why a response ends although the model waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason<'a> {
    /// The model has had its maximum number of answers.
    Enough,
    /// The next round failed.
    Failed(RoundFailure<'a>),
}

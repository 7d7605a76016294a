//! Watches a response on its way to the client.

use crate::hidden::turn::HiddenTurn;
use crate::protocol::failure::RoundFailure;

/// A response on its way to the client.
///
/// A response may have several rounds: if `end` returns a turn, the upstream's next response goes to the same watch,
/// and the client sees one response. Bytes that cannot be understood pass unchanged.
pub trait ResponseWatch: Send {
    /// Takes bytes of the upstream's response, and appends to `out` the bytes that the client gets now.
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>);

    /// Handles the end of the upstream's response. If a turn is returned, the caller must answer it or call `close`;
    /// otherwise the client's response is complete.
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

/// Why a response ends while the model still waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason<'a> {
    /// The model has received the maximum number of answers.
    Enough,
    /// The next round failed.
    Failed(RoundFailure<'a>),
}

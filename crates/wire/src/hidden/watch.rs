//! A response on its way to the client: fed bytes, it says what may go on at once.

use crate::hidden::turn::HiddenTurn;
use crate::protocol::failure::RoundFailure;

/// A response on its way to the client.
///
/// A response may have several rounds: when `end` gives a turn, the next response of the upstream is fed to the same
/// watch, and the client sees one response. What cannot be understood goes on as it came.
pub trait ResponseWatch: Send {
    /// Takes bytes of the upstream's response; appends to `out` what may go to the client now.
    fn see(&mut self, bytes: &[u8], out: &mut Vec<u8>);

    /// The upstream's response is over. A turn is to be answered or closed; without one, so is the client's response.
    fn end(&mut self, out: &mut Vec<u8>) -> Option<HiddenTurn>;

    /// Ends the client's response in place of an answer to the latest turn.
    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>);
}

/// Whether a response comes at once or in events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseFraming {
    /// One JSON value.
    Whole,
    /// Server-sent events.
    Events,
    /// Messages of AWS's event streams: binary, each with its length and sums.
    Messages,
}

/// Why a response ends although the model waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason<'a> {
    /// It has had as many as it may have.
    Enough,
    /// The rest could not be had.
    Failed(RoundFailure<'a>),
}

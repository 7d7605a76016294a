//! Where a tool can be hidden: put into requests, answered, and taken out of responses.

use crate::error::WireError;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTool, HiddenTurn};
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::request::history::HistoryPlace;

/// A shape of requests and responses in which a tool can be hidden.
pub trait HidesTool: Sync {
    /// The body with `tool` behind the tools of the client; `None` when the client has none, has one of that name, or
    /// asks for something in which nothing can be hidden, such as several answers at once.
    ///
    /// # Errors
    /// When the body is not JSON that everyone reads alike.
    fn offer(&self, tool: &HiddenTool, body: &[u8]) -> Result<Option<Vec<u8>>, WireError>;

    /// The request that goes on from `body`: behind its last message the turn, and the answers to its calls in order.
    ///
    /// # Errors
    /// As with offers.
    fn answer(&self, turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, WireError>;

    /// The request of a last round, `body`, without the tools with these names: who cannot ask leaves no question open.
    /// `None` where an open question does no harm, and the start of the request stays what the provider has cached.
    ///
    /// # Errors
    /// As with offers.
    fn withdraw(&self, _names: HiddenNames, _body: &[u8]) -> Result<Option<Vec<u8>>, WireError> {
        Ok(None)
    }

    /// Watches one response, over all its rounds, for calls of the tools with these names; `history` is that of the
    /// request. Where it is kept, the provider would hold a client to calls that it never saw, so that every call is
    /// to be answered.
    fn watch(
        &self,
        names: HiddenNames,
        framing: ResponseFraming,
        history: HistoryPlace,
    ) -> Box<dyn ResponseWatch>;
}

//! Describes how one API hides a tool: adds it to requests, answers its calls, and removes them from responses.

use tersely_json::JsonError;

use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTool, HiddenTurn};
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::request::history::HistoryPlace;

/// A body with changes; `None` when it stays unchanged.
type ChangedBody = Result<Option<Vec<u8>>, JsonError>;

/// Appends a turn and its answers to a body.
type AnswerTurn = fn(&HiddenTurn, &[String], &[u8]) -> Result<Vec<u8>, JsonError>;

/// An API's functions for hiding a tool.
pub struct ToolHiding {
    pub(crate) offer: fn(&HiddenTool, &[u8]) -> ChangedBody,
    pub(crate) answer: AnswerTurn,
    pub(crate) withdraw: fn(HiddenNames, &[u8]) -> ChangedBody,
    pub(crate) watch: fn(HiddenNames, ResponseFraming, HistoryPlace) -> Box<dyn ResponseWatch>,
}

impl ToolHiding {
    /// The body with `tool` after the client's tools; `None` when the client has none, has one of that name, or asks for
    /// something in which nothing can be hidden, such as several answers at once.
    ///
    /// # Errors
    /// When the body is not JSON that all readers agree on.
    pub fn offer(&self, tool: &HiddenTool, body: &[u8]) -> Result<Option<Vec<u8>>, JsonError> {
        (self.offer)(tool, body)
    }

    /// The request that continues `body`: its messages, then the turn, then the answers to the turn's calls in order.
    ///
    /// # Errors
    /// As with [`Self::offer`].
    pub fn answer(&self, turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, JsonError> {
        (self.answer)(turn, answers, body)
    }

    /// The request of a last round, `body`, without the tools with these names, so that no call stays unanswered. `None`
    /// where an unanswered call does no harm: then the start of the request stays what the provider has cached.
    ///
    /// # Errors
    /// As with [`Self::offer`].
    pub fn withdraw(&self, names: HiddenNames, body: &[u8]) -> Result<Option<Vec<u8>>, JsonError> {
        (self.withdraw)(names, body)
    }

    /// Watches one response, over all its rounds, for calls of the tools with these names. If the provider keeps the
    /// `history`, it expects an answer to every call, also to those that the client never saw.
    #[must_use]
    pub fn watch(
        &self,
        names: HiddenNames,
        framing: ResponseFraming,
        history: HistoryPlace,
    ) -> Box<dyn ResponseWatch> {
        (self.watch)(names, framing, history)
    }
}

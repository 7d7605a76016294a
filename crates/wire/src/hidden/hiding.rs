//! Describes how one API hides a tool: adds it to requests, answers its calls, and removes the calls from responses.

use tersely_json::{Insertion, JsonError};

use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenTool, HiddenTurn};
use crate::hidden::watch::{ResponseFraming, ResponseWatch};
use crate::request::history::HistoryPlace;
use crate::request::reading::Reading;

/// A changed body; `None` when the body stays unchanged.
type ChangedBody = Result<Option<Vec<u8>>, JsonError>;

/// Appends a turn and the answers to its calls to a body.
type AnswerTurn = fn(&HiddenTurn, &[String], &[u8]) -> Result<Vec<u8>, JsonError>;

/// The functions of one API for hiding a tool.
pub struct ToolHiding {
    pub(crate) offer: fn(&HiddenTool, &Reading<'_>) -> Result<Option<Insertion>, JsonError>,
    pub(crate) answer: AnswerTurn,
    pub(crate) withdraw: fn(HiddenNames, &[u8]) -> ChangedBody,
    pub(crate) watch: fn(HiddenNames, ResponseFraming, HistoryPlace) -> Box<dyn ResponseWatch>,
}

impl ToolHiding {
    /// Adds `tool` after the client's tools. `None` when the client has no tools, already has a tool of that name, or
    /// makes a request in which a tool cannot be hidden, such as one for several answers at once.
    ///
    /// # Errors
    /// Fails if the body is not JSON that all parsers read the same way.
    pub fn offer(&self, tool: &HiddenTool, reading: &Reading<'_>) -> Result<Option<Insertion>, JsonError> {
        (self.offer)(tool, reading)
    }

    /// Builds the request that continues `body`: its messages, then the turn, then the answers to the turn's calls in
    /// order.
    ///
    /// # Errors
    /// As with [`Self::offer`].
    pub fn answer(&self, turn: &HiddenTurn, answers: &[String], body: &[u8]) -> Result<Vec<u8>, JsonError> {
        (self.answer)(turn, answers, body)
    }

    /// Removes the tools with these names from `body`, the request of the last round, so that no call is left
    /// unanswered. `None` for APIs where an unanswered call does no harm: then the start of the request still matches
    /// the provider's cache.
    ///
    /// # Errors
    /// As with [`Self::offer`].
    pub fn withdraw(&self, names: HiddenNames, body: &[u8]) -> Result<Option<Vec<u8>>, JsonError> {
        (self.withdraw)(names, body)
    }

    /// Watches one response, across all its rounds, for calls of the tools with these names. If the provider stores
    /// the conversation, as `history` shows, it expects an answer to every call, even to calls that the client never
    /// saw.
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

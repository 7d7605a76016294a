//! Removes calls of hidden tools from a whole response, and merges its rounds into one response.

use super::object::ResponseObject;
use super::response_state::ResponseState;
use super::words;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::HiddenTurn;
use crate::hidden::watch::CloseReason;
use crate::hidden::whole::BodyMeaning;
use crate::request::history::HistoryPlace;

/// A response, across all its rounds.
pub(super) struct ResponsesWhole {
    state: ResponseState,
    history: HistoryPlace,
    /// The body of the latest turn.
    latest: Vec<u8>,
}

impl ResponsesWhole {
    pub(super) fn new(names: HiddenNames, history: HistoryPlace) -> Self {
        Self { state: ResponseState::new(names), history, latest: Vec::new() }
    }

    /// The turn at the end of a body. Every hidden call must be answered, because a stored response would wait for
    /// the missing answers forever.
    fn turn(&mut self, answer: &ResponseObject<'_>, body: &[u8]) -> Option<HiddenTurn> {
        let is_complete = answer.is_complete(body);
        let turn = if is_complete { self.state.turn(&answer.items, body) } else { None };
        let is_open = self.history.is_kept() && (is_complete || answer.is_cut(body));
        turn.or_else(|| self.state.undone(&answer.items, body).filter(|_| is_open))
    }
}

impl BodyMeaning for ResponsesWhole {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<HiddenTurn> {
        let Some(answer) = ResponseObject::whole(&body) else {
            out.extend_from_slice(&body);
            return None;
        };
        if let Some(usage) = answer.usage(&body) {
            self.state.tally.record(&usage);
        }
        self.state.tally.end_round();
        self.state.rounds += 1;
        if let Some(turn) = self.turn(&answer, &body) {
            self.latest = body;
            return Some(turn);
        }
        let mut patch = self.state.patch(&answer, &body);
        self.state.list(&answer, &body, &mut patch);
        out.extend_from_slice(&patch.apply(&body));
        None
    }

    fn close(&mut self, why: CloseReason<'_>, out: &mut Vec<u8>) {
        let body = std::mem::take(&mut self.latest);
        match (why, ResponseObject::whole(&body)) {
            (CloseReason::Enough, Some(answer)) => {
                self.state.excuse();
                out.extend_from_slice(&self.state.patch_closed(&answer, &body).apply(&body));
            }
            (CloseReason::Failed(why), _) => out.extend_from_slice(words::error(why).as_bytes()),
            (CloseReason::Enough, None) => {}
        }
    }
}

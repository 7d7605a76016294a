//! Takes a hidden tool's calls out of a response that comes at once, and makes one response of several rounds.

use super::answer::Answer;
use super::story::Story;
use super::words::error;
use crate::hidden::turn::Turn;
use crate::hidden::watch::{Close, Usage};
use crate::hidden::whole::Bodies;
use crate::history::History;

/// A response, over all its rounds.
pub(super) struct Reply {
    story: Story,
    history: History,
    /// The body of the latest turn.
    latest: Vec<u8>,
}

impl Reply {
    pub(super) fn new(name: &'static str, history: History) -> Self {
        Self { story: Story::new(name), history, latest: Vec::new() }
    }

    /// The turn that a body ends with. One that the provider keeps would wait for an answer for ever, so that no hidden
    /// call may stay without.
    fn turn(&mut self, answer: &Answer<'_>, body: &[u8]) -> Option<Turn> {
        let is_complete = answer.is_complete(body);
        let turn = if is_complete { self.story.turn(&answer.items, body) } else { None };
        let is_open = self.history.is_kept() && (is_complete || answer.is_cut(body));
        turn.or_else(|| self.story.undone(&answer.items, body).filter(|_| is_open))
    }
}

impl Bodies for Reply {
    fn body(&mut self, body: Vec<u8>, out: &mut Vec<u8>) -> Option<Turn> {
        let Some(answer) = Answer::whole(&body) else {
            out.extend_from_slice(&body);
            return None;
        };
        if let Some(usage) = answer.usage(&body) {
            self.story.tally.hear(&usage);
        }
        self.story.tally.end_round();
        self.story.rounds += 1;
        if let Some(turn) = self.turn(&answer, &body) {
            self.latest = body;
            return Some(turn);
        }
        let mut patch = self.story.patch(&answer, &body);
        self.story.list(&answer, &body, &mut patch);
        out.extend_from_slice(&patch.apply(&body));
        None
    }

    fn close(&mut self, why: Close<'_>, out: &mut Vec<u8>) {
        let body = std::mem::take(&mut self.latest);
        match (why, Answer::whole(&body)) {
            (Close::Enough, Some(answer)) => {
                self.story.excuse();
                out.extend_from_slice(&self.story.patch_closed(&answer, &body).apply(&body));
            }
            (Close::Failed(why), _) => out.extend_from_slice(error(why).as_bytes()),
            (Close::Enough, None) => {}
        }
    }

    fn spent(&self) -> Usage {
        self.story.spent()
    }
}

//! A remote compressor's answers for the results of one body. They come with the request.

use std::collections::{BTreeMap, BTreeSet};

/// A remote compressor's answers for the results of one body, by index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemoteAnswers {
    answers: BTreeMap<usize, RemoteAnswer>,
    /// Indices of answers that were stored for an earlier request.
    stored: BTreeSet<usize>,
}

/// The text to send for a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteAnswer {
    /// This text, if it saves tokens and hides no error.
    Text(String),
    /// The fallback: the compressor failed.
    Failed,
    /// The result itself: the compressor was not asked, and the model may already have seen the result.
    Whole,
}

impl RemoteAnswers {
    /// Sets the answer for a result.
    pub fn settle(&mut self, at: usize, answer: RemoteAnswer) {
        self.answers.insert(at, answer);
    }

    /// Marks all answers so far as stored for earlier requests.
    pub fn mark_stored(&mut self) {
        self.stored.extend(self.answers.keys());
    }

    /// True when a result's answer was stored for an earlier request.
    pub(crate) fn is_stored(&self, at: usize) -> bool {
        self.stored.contains(&at)
    }

    /// True when there are no answers.
    pub(crate) fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// The answer for a result, if there is one.
    pub(crate) fn at(&self, at: usize) -> Option<&RemoteAnswer> {
        self.answers.get(&at)
    }
}

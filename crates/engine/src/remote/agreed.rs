//! What stands for the results of a body by the word of a compressor: it comes with the request.

use std::collections::{BTreeMap, BTreeSet};

/// What stands for the results of one body by the word of a compressor, by their places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemoteAnswers {
    words: BTreeMap<usize, RemoteAnswer>,
    /// Where they were said for an earlier request, and kept.
    kept: BTreeSet<usize>,
}

/// What stands for a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteAnswer {
    /// This text, if it is of use.
    Said(String),
    /// What is meant for a compressor's failures: it was asked, and said nothing of use.
    Failed,
    /// The result itself: nobody was asked, and the model may have seen it.
    Whole,
}

impl RemoteAnswers {
    /// Takes note of what stands for the result at a place.
    pub fn settle(&mut self, at: usize, word: RemoteAnswer) {
        self.words.insert(at, word);
    }

    /// Takes note that all that was settled so far had been said for earlier requests.
    pub fn recalled(&mut self) {
        self.kept.extend(self.words.keys());
    }

    /// True when what stands for a place was said for an earlier request.
    pub(crate) fn is_kept(&self, at: usize) -> bool {
        self.kept.contains(&at)
    }

    /// What was agreed on for a place, if anything was.
    pub(crate) fn at(&self, at: usize) -> Option<&RemoteAnswer> {
        self.words.get(&at)
    }
}

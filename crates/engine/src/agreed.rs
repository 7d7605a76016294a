//! What stands for the results of a body by the word of a compressor: it comes with the request.

use std::collections::BTreeMap;

/// What stands for the results of one body by the word of a compressor, by their places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreed(BTreeMap<usize, AgreedWord>);

/// What stands for a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgreedWord {
    /// This text, if it is of use.
    Said(String),
    /// What is meant for a compressor's failures: it was asked, and said nothing of use.
    Failed,
    /// The result itself: nobody was asked, and the model may have seen it.
    Whole,
}

impl Agreed {
    /// Takes note of what stands for the result at a place.
    pub fn settle(&mut self, at: usize, word: AgreedWord) {
        self.0.insert(at, word);
    }

    /// What was agreed on for a place, if anything was.
    pub(crate) fn at(&self, at: usize) -> Option<&AgreedWord> {
        self.0.get(&at)
    }
}

//! What stands for the results of a body by the word of a compressor: it comes with the request.

use std::collections::BTreeMap;

/// What stands for the results of one body by the word of a compressor, by their places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreed(BTreeMap<usize, Option<String>>);

/// What stands for a result; nothing: a compressor said nothing of use.
pub(crate) type SettledWord<'a> = Option<&'a str>;

impl Agreed {
    /// Takes note of what stands for the result at a place; nothing: a compressor said nothing of use.
    pub fn settle(&mut self, at: usize, text: Option<String>) {
        self.0.insert(at, text);
    }

    /// What was agreed on for a place, if anything was.
    pub(crate) fn at(&self, at: usize) -> Option<SettledWord<'_>> {
        self.0.get(&at).map(Option::as_deref)
    }
}

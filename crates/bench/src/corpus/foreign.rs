//! Counts the tokens of results in other vocabularies than o200k, which decides what is sent.
//!
//! Some models' tokenizers are not public. A result that is cheaper in o200k may cost more with such a tokenizer. How
//! often this happens in vocabularies that played no part in the choice is the best estimate.

use std::ops::AddAssign;

use serde_json::{Value, json};
use tersely_terminal::share::Share;

type Counter = fn(&str) -> usize;

/// The vocabularies, each with its counter.
pub(super) const VOCABULARIES: [(&str, Counter); 2] = [
    ("cl100k", |text| bpe_openai::cl100k_base().count(text)),
    ("voyage3", |text| bpe_openai::voyage3_base().count(text)),
];

/// The cost of all results in one vocabulary.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ForeignCount {
    pub(super) sent: usize,
    pub(super) after: usize,
    /// The number of results that were changed.
    changed: usize,
    /// The number of changed results that cost more than the original.
    dearer: usize,
    /// The total extra cost of those results.
    excess: usize,
}

impl ForeignCount {
    /// Counts the tokens of one result, original and compressed, in every vocabulary.
    pub(super) fn all(came: &str, goes: &str) -> [Self; VOCABULARIES.len()] {
        VOCABULARIES.map(|(_, count)| {
            let (sent, after) = (count(came), count(goes));
            let changed = usize::from(came != goes);
            Self {
                sent,
                after,
                changed,
                dearer: usize::from(after > sent),
                excess: after.saturating_sub(sent),
            }
        })
    }

    /// The counts as a line of text.
    pub(super) fn line(&self, name: &str) -> String {
        let Self { sent, after, changed, dearer, excess } = *self;
        let saved = Share::saved(sent, after);
        format!(
            "standard by {name:<20}{saved} saved; {dearer} of {changed} changed results cost more, {excess} tokens in all"
        )
    }

    /// The counts as JSON.
    pub(super) fn json(&self) -> Value {
        let Self { sent, after, changed, dearer, excess } = self;
        json!({ "sent": sent, "standard": after, "changed": changed, "dearer": dearer, "excess": excess })
    }
}

impl AddAssign<&Self> for ForeignCount {
    fn add_assign(&mut self, other: &Self) {
        self.sent += other.sent;
        self.after += other.after;
        self.changed += other.changed;
        self.dearer += other.dearer;
        self.excess += other.excess;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 16.4: text that is cheaper in one vocabulary may cost more in another, and that is counted.
    #[test]
    fn what_is_dearer_elsewhere_is_counted() {
        let [cl100k, _] = ForeignCount::all("a", "hello world and more");
        assert_eq!((cl100k.dearer, cl100k.changed, cl100k.excess), (1, 1, cl100k.after - cl100k.sent));
        let [mut same, _] = ForeignCount::all("hello", "hello");
        assert_eq!((same.dearer, same.changed), (0, 0));
        same += &cl100k;
        assert_eq!((same.dearer, same.changed), (1, 1));
    }
}

//! What providers call their counts, in our words.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tersely_account::TokenUsage;

/// What a provider calls its counts, and where they stand.
#[derive(Debug)]
pub struct UsageWords {
    /// The members that hold them, each by the names that lead to it from the top of a body or an event; two at the most.
    pub(crate) places: &'static [&'static [&'static str]],
    /// The counts that matter, as JSON pointers into such a member. One that is a number holds itself, under its name.
    pub(crate) counts: &'static [&'static str],
    /// The counts in our words.
    pub(crate) read: fn(&UsageCounts) -> TokenUsage,
}

/// Counts as a provider calls them.
#[derive(Debug, Default)]
pub(crate) struct UsageCounts(BTreeMap<&'static str, u64>);

impl UsageCounts {
    /// Takes over the counts in a member that `place` leads to. Providers count on while they answer, so what is said later
    /// holds, and what is not said again stays.
    pub(super) fn hear(&mut self, words: &UsageWords, place: &[&str], member: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(member) else { return };
        let value = match (value, place.last()) {
            (object @ Value::Object(_), _) => object,
            (number, Some(name)) => Value::Object(Map::from_iter([((*name).to_owned(), number)])),
            (_, None) => return,
        };
        for pointer in words.counts {
            if let Some(count) = value.pointer(pointer).and_then(Value::as_u64) {
                self.0.insert(pointer, count);
            }
        }
    }

    /// True when nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a count comes to, if there is one.
    pub(crate) fn find(&self, pointer: &str) -> Option<u64> {
        self.0.get(pointer).copied()
    }

    /// The same, where none counts as nothing.
    pub(crate) fn count(&self, pointer: &str) -> u64 {
        self.find(pointer).unwrap_or_default()
    }
}

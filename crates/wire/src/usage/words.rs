//! The names of providers' token counts, and ours.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tersely_account::TokenUsage;

/// A provider's names for its counts, and where they are.
#[derive(Debug)]
pub struct UsageWords {
    /// The members with the counts, each by its path from the top of a body or an event; two names at most.
    pub(crate) places: &'static [&'static [&'static str]],
    /// The counts, as JSON pointers into such a member. A member that is a number is a count itself, under its name.
    pub(crate) counts: &'static [&'static str],
    /// Maps the counts to ours.
    pub(crate) read: fn(&UsageCounts) -> TokenUsage,
}

/// Counts under the provider's names.
#[derive(Debug, Default)]
pub(crate) struct UsageCounts(BTreeMap<&'static str, u64>);

impl UsageCounts {
    /// Takes over the counts in the member at `place`. Providers repeat their counts while they answer: later ones
    /// replace earlier ones, and missing ones stay.
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

    /// True when there are no counts.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A count, if it is there.
    pub(crate) fn find(&self, pointer: &str) -> Option<u64> {
        self.0.get(pointer).copied()
    }

    /// A count; zero if it is missing.
    pub(crate) fn count(&self, pointer: &str) -> u64 {
        self.find(pointer).unwrap_or_default()
    }
}

//! The names of the providers' token counts, and of ours.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tersely_account::TokenUsage;

/// A provider's names for its counts, and where its responses contain them.
#[derive(Debug)]
pub struct UsageWords {
    /// The members that contain the counts. Each is given by its path from the top of a body or an event, with one or
    /// two names.
    pub(crate) places: &'static [&'static [&'static str]],
    /// The counts, as JSON pointers into such a member. A member that is a number is itself a count; its name is its
    /// pointer.
    pub(crate) counts: &'static [&'static str],
    /// Converts the provider's counts to ours.
    pub(crate) read: fn(&UsageCounts) -> TokenUsage,
}

/// Counts under the provider's names.
#[derive(Debug, Default)]
pub(crate) struct UsageCounts(BTreeMap<&'static str, u64>);

impl UsageCounts {
    /// Records the counts of the member at `place`. Providers repeat their counts while they answer: later counts
    /// replace earlier ones, and counts that are missing keep their values.
    pub(super) fn hear(&mut self, words: &UsageWords, place: &[&str], member: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(member) else { return };
        let value = match (value, place.last()) {
            (object @ Value::Object(_), _) => object,
            (number, Some(name)) => Value::Object(Map::from_iter([((*name).to_owned(), number)])),
            (_, None) => return,
        };
        for pointer in words.counts {
            // No name has an escape, so `Value::pointer` would copy every name in vain.
            let found = pointer.split('/').skip(1).try_fold(&value, |value, name| value.get(name));
            if let Some(count) = found.and_then(Value::as_u64) {
                self.0.insert(pointer, count);
            }
        }
    }

    /// True when there are no counts.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A count, if the response contains it.
    pub(crate) fn find(&self, pointer: &str) -> Option<u64> {
        self.0.get(pointer).copied()
    }

    /// A count; zero if the response does not contain it.
    pub(crate) fn count(&self, pointer: &str) -> u64 {
        self.find(pointer).unwrap_or_default()
    }
}

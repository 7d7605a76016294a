//! The names of providers' token counts, and ours.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde_json::{Map, Value};

/// A provider's token counts. They do not overlap, except that reasoning is part of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Tokens read at full price.
    pub input: u64,
    /// Tokens read from its cache.
    pub cached: u64,
    /// Tokens written to its cache.
    pub written: u64,
    /// Tokens that the model wrote.
    pub output: u64,
    /// Output tokens of reasoning, which nobody sees.
    pub reasoning: u64,
}

impl TokenUsage {
    /// All input tokens.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.input.saturating_add(self.cached).saturating_add(self.written)
    }
}

impl AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.written = self.written.saturating_add(other.written);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

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

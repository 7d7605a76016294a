//! The names of spans and traces that begin here.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Names a request's span by its number: the same each time, and like no other process's. Clones name alike.
#[derive(Clone, Debug, Default)]
pub struct SpanIds(Arc<RandomState>);

impl SpanIds {
    /// The span of the request of this number.
    #[must_use]
    pub fn span(&self, id: u64) -> u64 {
        // None may be 0.
        self.0.hash_one(("span", id)).max(1)
    }

    /// The trace that begins with it.
    pub(crate) fn trace(&self, id: u64) -> u128 {
        let half = |side: &str| u128::from(self.0.hash_one((side, id)));
        (half("upper") << 64 | half("lower")).max(1)
    }
}

//! Ids of the spans and traces that start here.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Derives span ids from request numbers. The ids are stable within a process and differ between processes. Clones
/// derive the same ids.
#[derive(Clone, Debug, Default)]
pub struct SpanIds(Arc<RandomState>);

impl SpanIds {
    /// The span id of the request with this number.
    #[must_use]
    pub fn span(&self, id: u64) -> u64 {
        // An id must not be 0.
        self.0.hash_one(("span", id)).max(1)
    }

    /// The id of a trace that starts with this request.
    pub(crate) fn trace(&self, id: u64) -> u128 {
        let half = |side: &str| u128::from(self.0.hash_one((side, id)));
        (half("upper") << 64 | half("lower")).max(1)
    }
}

//! The room that bodies take, counted over all of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What answers may have however short the request is: it may name texts that were kept elsewhere.
const ELSEWHERE: usize = 4 << 20;

/// Room that bodies take, counted over all of them; given back when dropped.
#[derive(Default)]
pub(crate) struct Held {
    total: Arc<AtomicUsize>,
    mine: usize,
}

impl Held {
    /// Nothing as yet, of a total that others share.
    pub(crate) fn new(total: &Arc<AtomicUsize>) -> Self {
        Self { total: Arc::clone(total), mine: 0 }
    }

    /// Takes `bytes` more; false when that is more than `limit` over all.
    pub(crate) fn take(&mut self, limit: usize, bytes: usize) -> bool {
        self.mine += bytes;
        self.total.fetch_add(bytes, Ordering::Relaxed) + bytes <= limit
    }

    /// Takes room for further rounds of a request that takes all of this so far, and gives how many bytes answers may
    /// have. What was forwarded and what was left out of it are at hand from then on, whatever the limit says; answers
    /// get what is left below it, at most as much as the request itself.
    pub(crate) fn grow(&mut self, limit: usize) -> usize {
        let request = self.mine;
        self.take(limit, 2 * request);
        let left = limit.saturating_sub(self.total.load(Ordering::Relaxed)).min(request.max(ELSEWHERE));
        self.take(limit, left);
        left
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.total.fetch_sub(self.mine, Ordering::Relaxed);
    }
}

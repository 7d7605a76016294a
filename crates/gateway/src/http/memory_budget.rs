//! The room that bodies take, counted over all of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// What answers may have however short the request is: it may name texts that were kept elsewhere.
const MIN_ANSWER_BYTES: usize = 4 << 20;

/// The room that there is for all bodies together.
#[derive(Clone)]
pub(crate) struct BodySpace {
    total: Arc<AtomicUsize>,
    limit: usize,
}

impl BodySpace {
    /// Room for so many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { total: Arc::default(), limit }
    }

    /// Room for a body, none of it taken yet.
    pub(crate) fn room(&self) -> MemoryBudget {
        MemoryBudget { total: Arc::clone(&self.total), mine: 0 }
    }

    /// Makes the room of one body that of so many bytes; false when that is more than there is for all.
    pub(crate) fn fit(&self, held: &mut MemoryBudget, bytes: usize) -> bool {
        held.give(held.mine.saturating_sub(bytes));
        held.take(self.limit, bytes - held.mine)
    }

    /// Bytes that are here already, with the room that they take: it is given back with the last of them.
    pub(crate) fn hold(&self, bytes: impl Into<Bytes>) -> Bytes {
        let (bytes, mut held) = (bytes.into(), self.room());
        held.take(self.limit, bytes.len());
        held.around(bytes)
    }
}

/// Room that bodies take, counted over all of them; given back when dropped.
#[derive(Default)]
pub(crate) struct MemoryBudget {
    total: Arc<AtomicUsize>,
    mine: usize,
}

impl MemoryBudget {
    /// Takes `bytes` more; false when that is more than `limit` over all.
    pub(crate) fn take(&mut self, limit: usize, bytes: usize) -> bool {
        self.mine += bytes;
        self.total.fetch_add(bytes, Ordering::Relaxed) + bytes <= limit
    }

    fn give(&mut self, bytes: usize) {
        self.mine -= bytes;
        self.total.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes that take this room for as long as anybody has them.
    pub(crate) fn around(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(BudgetedBytes { bytes, _held: self })
    }

    /// Takes room for further rounds of a request that takes all of this so far, and gives how many bytes answers may
    /// have. What was forwarded and what was left out of it are at hand from then on, whatever the limit says; answers
    /// get what is left below it, at most as much as the request itself.
    pub(crate) fn grow(&mut self, limit: usize) -> usize {
        let request = self.mine;
        self.take(limit, 2 * request);
        let left =
            limit.saturating_sub(self.total.load(Ordering::Relaxed)).min(request.max(MIN_ANSWER_BYTES));
        self.take(limit, left);
        left
    }
}

impl Drop for MemoryBudget {
    fn drop(&mut self) {
        self.total.fetch_sub(self.mine, Ordering::Relaxed);
    }
}

/// Bytes, and the room that they take.
struct BudgetedBytes {
    bytes: Bytes,
    _held: MemoryBudget,
}

impl AsRef<[u8]> for BudgetedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_room_until_the_last_of_them_is_gone() {
        let space = BodySpace::new(10);
        let bytes = space.hold(Bytes::from_static(b"12345678"));
        let part = bytes.slice(7..);
        drop(bytes);
        let mut other = space.room();
        assert!(space.fit(&mut other, 2) && !space.fit(&mut other, 3) && space.fit(&mut other, 1));
        drop(part);
        assert!(space.fit(&mut other, 10) && !space.fit(&mut other, 11));
        drop(other);
        assert_eq!(space.total.load(Ordering::Relaxed), 0);
    }
}

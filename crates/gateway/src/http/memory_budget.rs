//! Counts the bytes of buffered bodies, across all requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// The minimum number of bytes allowed for answers. Even a short request may refer to long texts in the store.
const MIN_ANSWER_BYTES: usize = 4 << 20;

/// The memory limit for all buffered bodies together.
#[derive(Clone)]
pub(crate) struct BodySpace {
    total: Arc<AtomicUsize>,
    limit: usize,
}

impl BodySpace {
    /// Creates a limit of this many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { total: Arc::default(), limit }
    }

    /// Creates an empty budget for one body.
    pub(crate) fn room(&self) -> MemoryBudget {
        MemoryBudget { total: Arc::clone(&self.total), mine: 0 }
    }

    /// Sets the budget of one body to `bytes`; returns false if the total exceeds the limit.
    pub(crate) fn resize(&self, held: &mut MemoryBudget, bytes: usize) -> bool {
        held.give(held.mine.saturating_sub(bytes));
        held.take(self.limit, bytes - held.mine)
    }

    /// Counts bytes that are already in memory, until the last reference to them is dropped.
    pub(crate) fn hold(&self, bytes: impl Into<Bytes>) -> Bytes {
        let (bytes, mut held) = (bytes.into(), self.room());
        held.take(self.limit, bytes.len());
        held.attach_to(bytes)
    }
}

/// The bytes counted for one body; dropping the budget subtracts them again.
#[derive(Default)]
pub(crate) struct MemoryBudget {
    total: Arc<AtomicUsize>,
    mine: usize,
}

impl MemoryBudget {
    /// Counts `bytes` more; returns false if the total exceeds `limit`.
    pub(crate) fn take(&mut self, limit: usize, bytes: usize) -> bool {
        self.mine += bytes;
        self.total.fetch_add(bytes, Ordering::Relaxed) + bytes <= limit
    }

    fn give(&mut self, bytes: usize) {
        self.mine -= bytes;
        self.total.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Keeps the budget for as long as the bytes are referenced.
    pub(crate) fn attach_to(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(BudgetedBytes { bytes, _held: self })
    }

    /// Reserves memory for further rounds of this request, and returns how many bytes the answers may have. The
    /// forwarded body and the texts left out of it are always counted, even beyond the limit. Answers get the memory
    /// that remains below the limit, but no more than the size of the request or `MIN_ANSWER_BYTES`, whichever is
    /// larger.
    pub(crate) fn reserve_answers(&mut self, limit: usize) -> usize {
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

/// Bytes together with the budget that counts them.
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
        assert!(space.resize(&mut other, 2) && !space.resize(&mut other, 3) && space.resize(&mut other, 1));
        drop(part);
        assert!(space.resize(&mut other, 10) && !space.resize(&mut other, 11));
        drop(other);
        assert_eq!(space.total.load(Ordering::Relaxed), 0);
    }
}

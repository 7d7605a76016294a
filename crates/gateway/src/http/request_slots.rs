//! Limits the number of requests in progress.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots for requests in progress.
pub(crate) struct RequestSlots(Arc<Semaphore>);

/// The slot of a request; dropping it returns the slot. It is empty at a listener that does not count requests.
#[derive(Debug, Default)]
pub(crate) struct RequestSlot {
    _permit: Option<OwnedSemaphorePermit>,
}

impl RequestSlots {
    /// Creates slots for this many requests.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))))
    }

    /// Takes a slot; `None` if all are taken.
    pub(crate) fn take(&self) -> Option<RequestSlot> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(|permit| RequestSlot { _permit: Some(permit) })
    }
}

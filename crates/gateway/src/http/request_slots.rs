//! A limit on the requests in progress.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots for requests in progress.
pub(crate) struct RequestSlots(Arc<Semaphore>);

/// The slot of a request, given back when this is dropped. Empty at a listener that does not count requests.
#[derive(Debug, Default)]
pub(crate) struct RequestSlot {
    _permit: Option<OwnedSemaphorePermit>,
}

impl RequestSlots {
    /// Slots for this many requests.
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))))
    }

    /// A slot, unless all are taken.
    pub(crate) fn take(&self) -> Option<RequestSlot> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(|permit| RequestSlot { _permit: Some(permit) })
    }
}

//! The record of an answer that is still being written: what was done with the tool results in it so far.

use std::sync::{Arc, Mutex, PoisonError};

use tersely_account::RequestRecord;

/// A record that grows while an answer is being sent. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordCell(Arc<Mutex<RequestRecord>>);

impl RecordCell {
    /// Adds what was done with another answer.
    pub(crate) fn join(&self, record: RequestRecord) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).join(record);
    }

    /// Takes what was added so far.
    pub(crate) fn take(&self) -> RequestRecord {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

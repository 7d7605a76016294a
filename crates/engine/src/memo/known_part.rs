//! What was looked up for a request, so that it is not looked up again.

use std::sync::Arc;

use tersely_core::Reader;
use tersely_wire::hidden::ToolHiding;
use tersely_wire::{Insertion, Reading};

use crate::memo::past::Past;

/// What was looked up for a request, and need not be again.
pub struct KnownPart {
    /// The class of the request's model.
    pub(crate) reader: Reader,
    /// The tool that is offered in it.
    pub(crate) offered: Option<(&'static ToolHiding, Insertion)>,
    pub(crate) continued: ContinuedPast,
}

/// The conversation that a request continues.
#[derive(Clone)]
pub(crate) struct ContinuedPast {
    /// The key by which it was found.
    pub(crate) key: u64,
    pub(crate) past: Arc<Past>,
    /// The number of bytes at the start that the request and the conversation have in common.
    pub(crate) same: usize,
}

impl KnownPart {
    /// About how many bytes of the body must be compressed and counted, because the conversation does not have them.
    #[must_use]
    pub fn new_bytes(&self, reading: &Reading<'_>) -> usize {
        let past = &self.continued.past;
        let new = reading.slots().iter().skip(past.slots.len());
        let grown = reading.body().len().saturating_sub(past.came.len());
        new.map(|slot| slot.token.len()).sum::<usize>().max(grown)
    }
}

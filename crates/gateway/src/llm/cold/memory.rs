//! The records of the latest conversations in this process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::llm::cold::record::ColdRecord;

/// The maximum number of conversations. A record takes about a kilobyte at most.
const MAX_CONVERSATIONS: usize = 4_096;

/// The records, by the key of their conversation.
#[derive(Default)]
pub(super) struct ColdMemory(Mutex<Records>);

#[derive(Default)]
struct Records {
    records: HashMap<u64, ColdRecord>,
    /// The keys, the one that was added first in front.
    order: VecDeque<u64>,
}

impl ColdMemory {
    pub(super) fn get(&self, key: u64) -> Option<ColdRecord> {
        self.lock().records.get(&key).cloned()
    }

    /// Changes a record, and returns it.
    pub(super) fn change(&self, key: u64, change: impl FnOnce(&mut ColdRecord)) -> ColdRecord {
        let mut memory = self.lock();
        if !memory.records.contains_key(&key) {
            memory.order.push_back(key);
            if memory.order.len() > MAX_CONVERSATIONS {
                let oldest = memory.order.pop_front();
                oldest.map(|oldest| memory.records.remove(&oldest));
            }
        }
        let record = memory.records.entry(key).or_default();
        change(record);
        record.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Records> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversation_that_came_first_is_forgotten_first() {
        let memory = ColdMemory::default();
        for key in 0..=MAX_CONVERSATIONS as u64 {
            memory.change(key, |record| record.touch(1));
        }
        assert!(memory.get(0).is_none() && memory.get(1).is_some());
        memory.change(1, |record| record.touch(2));
        let memory = memory.lock();
        assert_eq!((memory.records.len(), memory.order.len()), (MAX_CONVERSATIONS, MAX_CONVERSATIONS));
    }
}

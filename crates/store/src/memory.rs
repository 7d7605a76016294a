//! Keeps texts in this process.
//!
//! Not `moka`: it counts bytes or entries, not both, lets one tenant flush all others, and has a clock of its own.

use std::sync::{Mutex, PoisonError};

use crate::memory_lru::Shelf;
use crate::{Life, Lives, StoreError, StoreKey, StoreLimits};

/// A shelf for each life, so that what lives long does not push out what lives briefly.
pub(crate) struct MemoryShelf {
    originals: Mutex<Shelf>,
    forms: Mutex<Shelf>,
}

impl MemoryShelf {
    pub(crate) fn new(limits: StoreLimits, lives: Lives) -> Self {
        let shelf = |life| Mutex::new(Shelf::new(limits, lives.of(life)));
        Self { originals: shelf(Life::Original), forms: shelf(Life::Form) }
    }

    pub(crate) fn keep(&self, key: &StoreKey, text: &str) -> Result<(), StoreError> {
        let fits = self.on_shelf(key.life, |shelf| shelf.put(key.tenant, key.id, text));
        if fits { Ok(()) } else { Err(StoreError::Full) }
    }

    pub(crate) fn first(&self, key: &StoreKey, text: &str) -> Result<String, StoreError> {
        let first = self.on_shelf(key.life, |shelf| match shelf.get(key.tenant, key.id) {
            Some(there) => Some(there.to_string()),
            None => shelf.put(key.tenant, key.id, text).then(|| text.to_owned()),
        });
        first.ok_or(StoreError::Full)
    }

    pub(crate) fn find(&self, key: &StoreKey) -> Option<String> {
        let text = self.on_shelf(key.life, |shelf| shelf.get(key.tenant, key.id));
        text.map(|text| text.to_string())
    }

    fn on_shelf<T>(&self, life: Life, act: impl FnOnce(&mut Shelf) -> T) -> T {
        let lock = match life {
            Life::Original => &self.originals,
            Life::Form => &self.forms,
        };
        act(&mut lock.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

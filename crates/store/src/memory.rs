//! Stores texts in memory.
//!
//! This does not use `moka`, which limits bytes or entries but not both, lets one tenant evict the texts of all
//! others, and has its own clock.

use std::sync::{Mutex, PoisonError};

use crate::memory_lru::MemoryLru;
use crate::{Life, Lives, StoreError, StoreKey, StoreLimits, Tenant};

/// A store with a separate cache for each lifetime, so that long-lived texts do not evict short-lived ones.
pub(crate) struct MemoryStore {
    originals: Mutex<MemoryLru>,
    forms: Mutex<MemoryLru>,
}

impl MemoryStore {
    pub(crate) fn new(limits: StoreLimits, lives: Lives) -> Self {
        let cache = |life| Mutex::new(MemoryLru::new(limits, lives.of(life)));
        Self { originals: cache(Life::Original), forms: cache(Life::Form) }
    }

    pub(crate) fn keep(&self, key: &StoreKey, text: &str) -> Result<(), StoreError> {
        let fits = self.with_cache(key.life, |cache| cache.put(key.tenant, key.id, text));
        if fits { Ok(()) } else { Err(StoreError::Full) }
    }

    pub(crate) fn first(&self, key: &StoreKey, text: &str) -> Result<String, StoreError> {
        let first = self.with_cache(key.life, |cache| match cache.get(key.tenant, key.id) {
            Some(there) => Some(there.to_string()),
            None => cache.put(key.tenant, key.id, text).then(|| text.to_owned()),
        });
        first.ok_or(StoreError::Full)
    }

    pub(crate) fn find(&self, key: &StoreKey) -> Option<String> {
        let text = self.with_cache(key.life, |cache| cache.get(key.tenant, key.id));
        text.map(|text| text.to_string())
    }

    /// Removes all texts of a tenant.
    pub(crate) fn release(&self, tenant: Tenant) {
        for life in [Life::Original, Life::Form] {
            self.with_cache(life, |cache| cache.release(tenant));
        }
    }

    fn with_cache<T>(&self, life: Life, act: impl FnOnce(&mut MemoryLru) -> T) -> T {
        let lock = match life {
            Life::Original => &self.originals,
            Life::Form => &self.forms,
        };
        act(&mut lock.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

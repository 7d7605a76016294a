//! Stores a text under a key and finds it again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::breaker::Breakers;
use crate::counts::{Counters, add};
use crate::memory::MemoryStore;
use crate::remote::{FoundText, RemoteStore};
use crate::{
    SettingError, StoreCounts, StoreError, StoreKey, StorePlace, StoreSecret, StoreSettings, Tenant,
};

/// A store of texts that expire.
///
/// Every call except `forget` returns within the deadline. A stored text may disappear at any time, because it
/// expired or was evicted, or because its node died.
pub struct Store {
    place: Backend,
    secret: StoreSecret,
    largest: usize,
    counters: Arc<Counters>,
}

/// A view of a store's counts and state that can outlive the store.
pub struct StoreWatch {
    counters: Arc<Counters>,
    breakers: Option<Arc<Breakers>>,
}

enum Backend {
    Memory(Box<MemoryStore>),
    Remote(Box<RemoteStore>),
}

impl Store {
    /// Opens a store. A remote store connects at the first call.
    ///
    /// # Errors
    /// Fails if an address is invalid, or if a remote store has no secret.
    pub fn open(settings: &StoreSettings) -> Result<Self, SettingError> {
        let (place, secret) = match &settings.place {
            StorePlace::Memory(limits) => {
                let secret = settings.secret.clone().map_or_else(StoreSecret::random, Ok)?;
                (Backend::Memory(Box::new(MemoryStore::new(*limits, settings.lives))), secret)
            }
            StorePlace::Remote(remote) => {
                let secret = settings.secret.clone().ok_or_else(missing_secret)?;
                (Backend::Remote(Box::new(RemoteStore::new(remote, secret.clone(), settings)?)), secret)
            }
        };
        Ok(Self { place, secret, largest: settings.largest, counters: Arc::default() })
    }

    /// The tenant of an identity, such as an API key; `None` when the identity is empty, because then the tenant
    /// could be anyone.
    #[must_use]
    pub fn tenant(&self, identity: &[u8]) -> Option<Tenant> {
        self.secret.tenant(identity)
    }

    /// Maximum duration of a call; `None` for a store in memory.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        match &self.place {
            Backend::Memory(_) => None,
            Backend::Remote(remote) => Some(remote.deadline()),
        }
    }

    /// Stores a text for its lifetime.
    ///
    /// # Errors
    /// Fails if the text could not be stored. In that case no text that refers to it may be used.
    pub async fn keep(&self, key: &StoreKey, text: &str) -> Result<(), StoreError> {
        let since = Instant::now();
        let kept = match &self.place {
            _ if text.len() > self.largest => {
                Err(StoreError::TooLarge { bytes: text.len(), largest: self.largest })
            }
            Backend::Memory(memory) => memory.keep(key, text),
            Backend::Remote(remote) => remote.keep(key, text).await,
        };
        self.counters.add_time(since.elapsed());
        add(if kept.is_ok() { &self.counters.kept } else { &self.counters.failures });
        kept
    }

    /// Stores a text unless the key already has one, and returns the stored text: the first writer wins.
    ///
    /// # Errors
    /// Fails if the stored text is not known. In that case neither text may be used.
    pub async fn first(&self, key: &StoreKey, text: &str) -> Result<String, StoreError> {
        let since = Instant::now();
        let first = match &self.place {
            _ if text.len() > self.largest => {
                Err(StoreError::TooLarge { bytes: text.len(), largest: self.largest })
            }
            Backend::Memory(memory) => memory.first(key, text),
            Backend::Remote(remote) => remote.first(key, text).await,
        };
        self.counters.add_time(since.elapsed());
        add(if first.is_ok() { &self.counters.kept } else { &self.counters.failures });
        first
    }

    /// Finds a text and renews its lifetime.
    ///
    /// # Errors
    /// Fails if the store cannot be reached, or refuses the call.
    pub async fn find(&self, key: &StoreKey) -> Result<Option<String>, StoreError> {
        let since = Instant::now();
        let found = match &self.place {
            Backend::Memory(memory) => Ok(memory.find(key).map_or(FoundText::Nothing, FoundText::Text)),
            Backend::Remote(remote) => remote.find(key).await,
        };
        self.counters.add_time(since.elapsed());
        let (counter, found) = match found {
            Ok(FoundText::Text(text)) => (&self.counters.hits, Ok(Some(text))),
            Ok(FoundText::Nothing) => (&self.counters.misses, Ok(None)),
            Ok(FoundText::Spoiled) => {
                add(&self.counters.spoiled);
                (&self.counters.misses, Ok(None))
            }
            Err(error) => (&self.counters.failures, Err(error)),
        };
        add(counter);
        found
    }

    /// Deletes the texts of one tenant, or of all tenants, and returns the number of deleted texts. Does nothing for
    /// a store in memory, whose texts end with the process.
    ///
    /// # Errors
    /// Fails if the server cannot be reached; some texts may already have been deleted.
    pub async fn forget(&self, tenant: Option<Tenant>) -> Result<u64, StoreError> {
        match &self.place {
            Backend::Memory(_) => Ok(0),
            Backend::Remote(remote) => remote.forget(tenant).await,
        }
    }

    /// Frees the memory of a tenant that will not ask again. In a remote store, the texts expire.
    pub fn release(&self, tenant: Tenant) {
        if let Backend::Memory(memory) = &self.place {
            memory.release(tenant);
        }
    }

    /// The number of calls so far, by outcome.
    #[must_use]
    pub fn counts(&self) -> StoreCounts {
        self.counters.read()
    }

    /// A view of the store's counts and state.
    #[must_use]
    pub fn watch(&self) -> StoreWatch {
        let breakers = match &self.place {
            Backend::Memory(_) => None,
            Backend::Remote(remote) => Some(remote.breakers()),
        };
        StoreWatch { counters: Arc::clone(&self.counters), breakers }
    }
}

impl StoreWatch {
    /// The number of calls so far, by outcome.
    #[must_use]
    pub fn counts(&self) -> StoreCounts {
        self.counters.read()
    }

    /// False while any circuit breaker is open.
    #[must_use]
    pub fn is_up(&self) -> bool {
        !self.breakers.as_ref().is_some_and(|breakers| breakers.any_open())
    }
}

fn missing_secret() -> SettingError {
    SettingError(
        "a store outside this process needs a secret to encrypt texts: set the output of `openssl rand -hex 32`, the same on every replica"
            .to_owned(),
    )
}

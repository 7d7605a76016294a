//! Keeps a text by its key and finds it again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::breaker::Breakers;
use crate::counts::{Counters, add};
use crate::memory::MemoryShelf;
use crate::remote::{Away, FoundText};
use crate::{
    SettingError, StoreCounts, StoreError, StoreKey, StorePlace, StoreSecret, StoreSettings, Tenant,
};

/// A place where texts are kept until they expire.
///
/// Every call ends within the deadline. A text that was kept may be gone at any time: it expired, or made room for
/// others, or the node that had it died.
pub struct Store {
    place: Open,
    secret: StoreSecret,
    largest: usize,
    counters: Arc<Counters>,
}

/// Looks at a store from outside, whoever has it.
pub struct StoreWatch {
    counters: Arc<Counters>,
    breakers: Option<Arc<Breakers>>,
}

enum Open {
    Memory(Box<MemoryShelf>),
    Remote(Box<Away>),
}

impl Store {
    /// Gets ready to keep texts; nothing is connected to before the first call.
    ///
    /// # Errors
    /// When an address cannot be read, or texts were to leave the process without a secret to seal them with.
    pub fn open(settings: &StoreSettings) -> Result<Self, SettingError> {
        let (place, secret) = match &settings.place {
            StorePlace::Memory(limits) => {
                let secret = settings.secret.clone().map_or_else(StoreSecret::random, Ok)?;
                (Open::Memory(Box::new(MemoryShelf::new(*limits, settings.lives))), secret)
            }
            StorePlace::Remote(remote) => {
                let secret = settings.secret.clone().ok_or_else(unsealed)?;
                (Open::Remote(Box::new(Away::new(remote, secret.clone(), settings)?)), secret)
            }
        };
        Ok(Self { place, secret, largest: settings.largest, counters: Arc::default() })
    }

    /// The tenant behind an identity, which is all that a request says of who sent it; none when it is empty, because
    /// then anyone could be meant.
    #[must_use]
    pub fn tenant(&self, identity: &[u8]) -> Option<Tenant> {
        self.secret.tenant(identity)
    }

    /// How long a call may take; memory takes no time.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        match &self.place {
            Open::Memory(_) => None,
            Open::Remote(away) => Some(away.deadline()),
        }
    }

    /// Keeps a text for its life.
    ///
    /// # Errors
    /// When it could not be kept: then whatever stands for it may not be used.
    pub async fn keep(&self, key: &StoreKey, text: &str) -> Result<(), StoreError> {
        let since = Instant::now();
        let kept = match &self.place {
            _ if text.len() > self.largest => {
                Err(StoreError::TooLarge { bytes: text.len(), largest: self.largest })
            }
            Open::Memory(memory) => memory.keep(key, text),
            Open::Remote(away) => away.keep(key, text).await,
        };
        self.counters.took(since.elapsed());
        add(if kept.is_ok() { &self.counters.kept } else { &self.counters.failures });
        kept
    }

    /// Keeps a text unless one is there, and gives the one that is there then: of all who say something under a name, the
    /// first is heard.
    ///
    /// # Errors
    /// When nobody can say what is there: then nothing may be used.
    pub async fn first(&self, key: &StoreKey, text: &str) -> Result<String, StoreError> {
        let since = Instant::now();
        let first = match &self.place {
            _ if text.len() > self.largest => {
                Err(StoreError::TooLarge { bytes: text.len(), largest: self.largest })
            }
            Open::Memory(memory) => memory.first(key, text),
            Open::Remote(away) => away.first(key, text).await,
        };
        self.counters.took(since.elapsed());
        add(if first.is_ok() { &self.counters.kept } else { &self.counters.failures });
        first
    }

    /// Finds a text and lets it live on.
    ///
    /// # Errors
    /// When nobody can say whether it is there.
    pub async fn find(&self, key: &StoreKey) -> Result<Option<String>, StoreError> {
        let since = Instant::now();
        let found = match &self.place {
            Open::Memory(memory) => Ok(memory.find(key).map_or(FoundText::Nothing, FoundText::Text)),
            Open::Remote(away) => away.find(key).await,
        };
        self.counters.took(since.elapsed());
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

    /// Forgets the texts of a tenant, or all, and says how many; those in memory go with the process.
    ///
    /// # Errors
    /// When the place where they are kept cannot be reached; some may be gone already.
    pub async fn forget(&self, tenant: Option<Tenant>) -> Result<u64, StoreError> {
        match &self.place {
            Open::Memory(_) => Ok(0),
            Open::Remote(away) => away.forget(tenant).await,
        }
    }

    /// What became of the calls so far.
    #[must_use]
    pub fn counts(&self) -> StoreCounts {
        self.counters.read()
    }

    /// A look at it that anyone can keep.
    #[must_use]
    pub fn watch(&self) -> StoreWatch {
        let breakers = match &self.place {
            Open::Memory(_) => None,
            Open::Remote(away) => Some(away.breakers()),
        };
        StoreWatch { counters: Arc::clone(&self.counters), breakers }
    }
}

impl StoreWatch {
    /// What became of the calls so far.
    #[must_use]
    pub fn counts(&self) -> StoreCounts {
        self.counters.read()
    }

    /// False while any part of the store is left alone because it failed.
    #[must_use]
    pub fn is_up(&self) -> bool {
        !self.breakers.as_ref().is_some_and(|breakers| breakers.any_rests())
    }
}

fn unsealed() -> SettingError {
    SettingError(
        "a store outside this process needs a secret to seal texts with: set one, the same on every replica, as `openssl rand -hex 32` prints it"
            .to_owned(),
    )
}

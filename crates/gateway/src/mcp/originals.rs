//! Stores the texts left out of a server's results, for as long as the client may ask for them.

use std::sync::Arc;
use std::time::Duration;

use tersely_core::expand::{self, ExpandRequest};
use tersely_engine::KeptOriginal;
use tersely_store::{Lives, SettingError, Store, StoreLimits, StorePlace, StoreSettings, Tenant};

use crate::llm::Keeper;

/// Limits for a session that stores its texts in memory.
const MEMORY_LIMITS: StoreLimits = StoreLimits { bytes: 256 << 20, entries: 16_384 };

/// The maximum size of a text to store; nothing is left out of a larger text.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// How long texts in memory are stored, which is longer than any session lasts.
const SESSION_LIFETIME: Duration = Duration::from_hours(24 * 365);

/// The minimum time for which a text is stored: the client keeps the shortened text, and may ask for the original much
/// later.
const MIN_LIFETIME: Duration = Duration::from_hours(24);

/// The stored texts of one client.
#[derive(Clone)]
pub struct Originals {
    keeper: Arc<Keeper>,
    tenant: Option<Tenant>,
}

impl Originals {
    /// Stores texts in this process until it ends.
    ///
    /// # Errors
    /// Fails if the system provides no random numbers.
    pub fn in_memory() -> Result<Self, SettingError> {
        let lives = Lives { original: SESSION_LIFETIME, form: SESSION_LIFETIME };
        let place = StorePlace::Memory(MEMORY_LIMITS);
        let store = Store::open(&StoreSettings { place, secret: None, lives, largest: MAX_TEXT_BYTES })?;
        Ok(Self::of(&Arc::new(Keeper::new(store, None)), b"the one client of this process"))
    }

    /// Opens a store for the texts of many clients, which keeps them for at least a day.
    ///
    /// # Errors
    /// Fails if a setting is invalid.
    pub fn open(settings: &StoreSettings) -> Result<Arc<Keeper>, SettingError> {
        let original = settings.lives.original.max(MIN_LIFETIME);
        let settings = StoreSettings { lives: Lives { original, ..settings.lives }, ..settings.clone() };
        Ok(Arc::new(Keeper::new(Store::open(&settings)?, None)))
    }

    /// The stored texts of the client with this identity; if the identity is empty, nothing is stored.
    pub(super) fn of(keeper: &Arc<Keeper>, identity: &[u8]) -> Self {
        Self { keeper: Arc::clone(keeper), tenant: keeper.tenant_of(identity) }
    }

    /// Stores all of these texts; returns false if one could not be stored.
    pub(super) async fn keep(&self, kept: Vec<KeptOriginal>) -> bool {
        match self.tenant {
            _ if kept.is_empty() => true,
            Some(tenant) => self.keeper.keep(tenant, kept).await,
            None => false,
        }
    }

    /// Frees the memory, once nobody can ask any more.
    pub(super) fn release(&self) {
        if let Some(tenant) = self.tenant {
            self.keeper.release(tenant);
        }
    }

    /// The result of a call of our tool with these arguments.
    pub(super) async fn show(&self, arguments: &str) -> String {
        let wish = match ExpandRequest::read(arguments) {
            Ok(wish) => wish,
            Err(why) => return why.to_owned(),
        };
        let found = match self.tenant {
            Some(tenant) => self.keeper.find(tenant, vec![wish.id().to_owned()]).await,
            None => Vec::new(),
        };
        match found.first() {
            Some((_, text)) => wish.show(text).into_owned(),
            None => unknown(wish.id()),
        }
    }
}

/// The message for an unknown id. A client may use several servers through Tersely, and its model may ask the wrong
/// one.
fn unknown(id: &str) -> String {
    format!(
        "{} If another server gave that result, ask that server's own {}.",
        expand::unknown(id),
        expand::NAME
    )
}

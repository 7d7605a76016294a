//! What was left out of a server's answers, for as long as its client may ask.

use std::sync::Arc;
use std::time::Duration;

use tersely_core::expand::{self, ExpandRequest};
use tersely_engine::KeptOriginal;
use tersely_store::{Lives, SettingError, Store, StoreLimits, StorePlace, StoreSettings, Tenant};

use crate::llm::Keeper;

/// How much one session may keep in memory.
const MEMORY_LIMITS: StoreLimits = StoreLimits { bytes: 256 << 20, entries: 16_384 };

/// The largest text that is kept; of a larger one nothing is left out.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// As long as any session lasts.
const SESSION_LIFETIME: Duration = Duration::from_hours(24 * 365);

/// How long a text is kept at least that a client may ask for: it holds the short one, and may look at it much later.
const MIN_LIFETIME: Duration = Duration::from_hours(24);

/// Texts of one client.
#[derive(Clone)]
pub struct Originals {
    keeper: Arc<Keeper>,
    tenant: Option<Tenant>,
}

impl Originals {
    /// Keeps texts in this process until it ends.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub fn in_memory() -> Result<Self, SettingError> {
        let lives = Lives { original: SESSION_LIFETIME, form: SESSION_LIFETIME };
        let place = StorePlace::Memory(MEMORY_LIMITS);
        let store = Store::open(&StoreSettings { place, secret: None, lives, largest: MAX_TEXT_BYTES })?;
        Ok(Self::of(&Arc::new(Keeper::new(store, None)), b"the one client of this process"))
    }

    /// What keeps the texts of many clients, for a day at least.
    ///
    /// # Errors
    /// When the settings make no sense.
    pub fn open(settings: &StoreSettings) -> Result<Arc<Keeper>, SettingError> {
        let original = settings.lives.original.max(MIN_LIFETIME);
        let settings = StoreSettings { lives: Lives { original, ..settings.lives }, ..settings.clone() };
        Ok(Arc::new(Keeper::new(Store::open(&settings)?, None)))
    }

    /// The texts of the client with this identity; of nobody, if it is empty, and then nothing is kept.
    pub(super) fn of(keeper: &Arc<Keeper>, identity: &[u8]) -> Self {
        Self { keeper: Arc::clone(keeper), tenant: keeper.tenant_of(identity) }
    }

    /// Keeps all of these; false when one could not be.
    pub(super) async fn keep(&self, kept: Vec<KeptOriginal>) -> bool {
        match self.tenant {
            _ if kept.is_empty() => true,
            Some(tenant) => self.keeper.keep(tenant, kept).await,
            None => false,
        }
    }

    /// What a model gets that calls the tool with these arguments.
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

/// A client may have several servers behind doors like this one, and its model may ask the wrong one.
fn unknown(id: &str) -> String {
    format!(
        "{} If another server gave that result, ask that server's own {}.",
        expand::unknown(id),
        expand::NAME
    )
}

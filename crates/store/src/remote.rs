//! Stores encrypted texts in Valkey or Redis. Calls return within the deadline even if the server does not.

use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, FromRedisValue, RedisError};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::breaker::{Breaker, Breakers};
use crate::forget::{forget, pattern};
use crate::link::StoreLink;
use crate::seal::{SEAL_BYTES, open, seal};
use crate::secret::owner;
use crate::{Lives, Remote, SettingError, StoreError, StoreKey, StoreSecret, StoreSettings, Tenant};

/// The lifetime of a text that was not read back yet, as a multiple of the deadline.
const UNCONFIRMED_DEADLINES: u32 = 4;

/// A store in Valkey or Redis.
pub(crate) struct RemoteStore {
    link: Arc<StoreLink>,
    breakers: Arc<Breakers>,
    calls: Semaphore,
    remote: Remote,
    secret: StoreSecret,
    lives: Lives,
    largest: usize,
}

/// The result of a lookup.
pub(crate) enum FoundText {
    Text(String),
    Nothing,
    /// A value that we did not write, or that was written with another secret.
    Spoiled,
}

impl RemoteStore {
    pub(crate) fn new(
        remote: &Remote,
        secret: StoreSecret,
        settings: &StoreSettings,
    ) -> Result<Self, SettingError> {
        Ok(Self {
            link: StoreLink::new(remote)?,
            breakers: Arc::new(Breakers::new(remote.addresses.len())),
            calls: Semaphore::new(remote.calls.min(Semaphore::MAX_PERMITS)),
            remote: remote.clone(),
            secret,
            lives: settings.lives,
            largest: settings.largest,
        })
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.remote.deadline
    }

    pub(crate) fn breakers(&self) -> Arc<Breakers> {
        Arc::clone(&self.breakers)
    }

    pub(crate) async fn keep(&self, key: &StoreKey, text: &str) -> Result<(), StoreError> {
        let name = self.secret.name(&self.remote.prefix, key);
        let keep = async {
            let sealed = seal(&self.secret, &name, text)
                .ok_or_else(|| StoreError::Down("no random numbers available from the system".to_owned()))?;
            let mut set = redis::cmd("SET");
            set.arg(&name).arg(sealed).arg("PX").arg(milliseconds(self.lives.of(key.life)));
            self.send(&set).await
        };
        self.within_bounds(self.breakers.of(&name), keep).await
    }

    /// Stores a text unless the key already has one, and reads the stored text back. Until then the new text has a
    /// short lifetime, so a late write that no caller waits for soon expires.
    pub(crate) async fn first(&self, key: &StoreKey, text: &str) -> Result<String, StoreError> {
        let name = self.secret.name(&self.remote.prefix, key);
        let keep = async {
            let sealed = seal(&self.secret, &name, text)
                .ok_or_else(|| StoreError::Down("no random numbers available from the system".to_owned()))?;
            let mut set = redis::cmd("SET");
            let lifetime = milliseconds(self.remote.deadline.saturating_mul(UNCONFIRMED_DEADLINES));
            set.arg(&name).arg(sealed).arg("NX").arg("PX").arg(lifetime);
            self.send::<Option<String>>(&set).await
        };
        self.within_bounds(self.breakers.of(&name), keep).await?;
        match self.find(key).await? {
            FoundText::Text(text) => Ok(text),
            FoundText::Nothing | FoundText::Spoiled => {
                Err(StoreError::Down("a text that was just written cannot be read back".to_owned()))
            }
        }
    }

    /// Finds a text and renews its lifetime. A single command does both, and only masters accept this command, so the
    /// result is never stale.
    pub(crate) async fn find(&self, key: &StoreKey) -> Result<FoundText, StoreError> {
        let name = self.secret.name(&self.remote.prefix, key);
        let mut get = redis::cmd("GETEX");
        get.arg(&name).arg("PX").arg(milliseconds(self.lives.of(key.life)));
        let get = async {
            match self.send(&get).await {
                // A value of another type is treated as an unreadable text, not as a failure of the server.
                Err(StoreError::Down(why)) if why.starts_with("WRONGTYPE") => Ok(Some(Vec::new())),
                value => value,
            }
        };
        Ok(match self.within_bounds(self.breakers.of(&name), get).await? {
            None => FoundText::Nothing,
            Some(sealed) if sealed.len() > self.largest.saturating_add(SEAL_BYTES) => FoundText::Spoiled,
            Some(sealed) => open(&self.secret, &name, sealed).map_or(FoundText::Spoiled, FoundText::Text),
        })
    }

    /// Deletes the texts of one tenant, or of all tenants. There is no deadline, because no request waits for this
    /// call.
    pub(crate) async fn forget(&self, tenant: Option<Tenant>) -> Result<u64, StoreError> {
        let fault = |error| fault(&error, self.remote.deadline);
        let owner = tenant.map(|tenant| owner(&tenant));
        let mut connection = self.link.connection().await.map_err(fault)?;
        forget(&mut connection, &pattern(&self.remote.prefix, owner.as_deref())).await.map_err(fault)
    }

    /// Runs `call` if the limit of calls and the breaker allow it, and cancels it at the deadline.
    async fn within_bounds<T>(
        &self,
        breaker: &Breaker,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let _call = self.calls.try_acquire().map_err(|_| StoreError::Busy(self.remote.calls))?;
        if !breaker.admits() {
            return Err(StoreError::Resting);
        }
        let deadline = self.remote.deadline;
        let done = timeout(deadline, call).await.unwrap_or(Err(StoreError::Slow(deadline)));
        match &done {
            Err(StoreError::Down(_) | StoreError::Slow(_)) => {
                breaker.record_failure();
                self.link.record_failure();
            }
            _ => breaker.record_success(),
        }
        done
    }

    async fn send<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, StoreError> {
        let fault = |error| fault(&error, self.remote.deadline);
        let mut connection = self.link.connection().await.map_err(fault)?;
        connection.send(command).await.map_err(fault)
    }
}

fn fault(error: &RedisError, deadline: Duration) -> StoreError {
    match error.code() {
        Some("OOM") => StoreError::Full,
        Some("MOVED") => StoreError::Down("it is a cluster node: list at least two addresses".to_owned()),
        Some(code) => {
            let detail = error.detail().unwrap_or_default();
            // For an unknown command, the error message repeats the arguments, including keys.
            let detail = detail.split(", with args").next().unwrap_or_default();
            StoreError::Down(format!("{code} {detail}"))
        }
        None if error.is_timeout() => StoreError::Slow(deadline),
        None => StoreError::Down(error.to_string()),
    }
}

/// The lifetime in milliseconds, but at least one, because servers refuse a lifetime of zero.
fn milliseconds(life: Duration) -> u64 {
    u64::try_from(life.as_millis()).unwrap_or(u64::MAX).clamp(1, i64::MAX as u64 / 4)
}

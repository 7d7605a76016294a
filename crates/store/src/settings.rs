//! The settings of a store: where texts are stored, how long and how many.

use std::fmt;
use std::time::Duration;

use crate::{Life, StoreSecret};

/// All settings of a store.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// Where texts are stored.
    pub place: StorePlace,
    /// The secret that names and encrypts them; required for a remote store.
    pub secret: Option<StoreSecret>,
    /// How long they live.
    pub lives: Lives,
    /// Bytes of the longest text.
    pub largest: usize,
}

/// Where texts are stored.
#[derive(Clone, Debug)]
pub enum StorePlace {
    /// In this process, up to a limit.
    Memory(StoreLimits),
    /// In Valkey or Redis.
    Remote(Remote),
}

/// Limits of a memory store, for originals and forms each.
#[derive(Clone, Copy, Debug)]
pub struct StoreLimits {
    /// Bytes, with bookkeeping.
    pub bytes: usize,
    /// Number of texts.
    pub entries: usize,
}

/// How to reach Valkey or Redis.
#[derive(Clone)]
pub struct Remote {
    /// `redis://`, `rediss://`, `valkey://` or `valkeys://` addresses; several are nodes of one cluster.
    pub addresses: Vec<String>,
    /// The prefix of all key names.
    pub prefix: String,
    /// How long a call may take, connecting included.
    pub deadline: Duration,
    /// How many calls may run at the same time; one more fails immediately. Times `largest`, it bounds the memory.
    pub calls: usize,
}

/// How long texts live after their last use.
#[derive(Clone, Copy, Debug)]
pub struct Lives {
    /// Originals.
    pub original: Duration,
    /// Remote compressors' answers.
    pub form: Duration,
}

impl fmt::Debug for Remote {
    /// Omits the addresses: they may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { addresses, prefix, deadline, calls } = self;
        let addresses = format_args!("{} of them", addresses.len());
        let mut shown = f.debug_struct("Remote");
        shown.field("addresses", &addresses).field("prefix", prefix);
        shown.field("deadline", deadline).field("calls", calls).finish()
    }
}

impl Lives {
    /// The duration for `life`.
    #[must_use]
    pub fn of(&self, life: Life) -> Duration {
        match life {
            Life::Original => self.original,
            Life::Form => self.form,
        }
    }
}

impl Default for StoreSettings {
    fn default() -> Self {
        let place = StorePlace::Memory(StoreLimits::default());
        Self { place, secret: None, lives: Lives::default(), largest: 4 << 20 }
    }
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self { bytes: 64 << 20, entries: 10_000 }
    }
}

impl Default for Lives {
    fn default() -> Self {
        Self { original: Duration::from_mins(5), form: Duration::from_hours(24) }
    }
}

impl Default for Remote {
    fn default() -> Self {
        Self {
            addresses: Vec::new(),
            prefix: "tersely".to_owned(),
            deadline: Duration::from_millis(100),
            calls: 128,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let remote = Remote { addresses: vec!["redis://:haddock@a".to_owned()], ..Remote::default() };
        let place = StorePlace::Remote(remote);
        let secret = StoreSecret::new(b"haddock haddock haddock").ok();
        let shown = format!("{:?}", StoreSettings { place, secret, ..StoreSettings::default() });
        assert!(shown.contains("1 of them") && !shown.contains("haddock"), "{shown}");
    }
}

//! The settings of a store: where, how long and how many texts are stored.

use std::fmt;
use std::time::Duration;

use crate::{Life, StoreSecret};

/// All settings of a store.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// Where texts are stored.
    pub place: StorePlace,
    /// The secret from which key names and encryption keys are derived; required for a remote store.
    pub secret: Option<StoreSecret>,
    /// How long texts are kept.
    pub lives: Lives,
    /// Maximum length of a text in bytes.
    pub largest: usize,
}

/// Where texts are stored.
#[derive(Clone, Debug)]
pub enum StorePlace {
    /// In the memory of this process, up to a limit.
    Memory(StoreLimits),
    /// In Valkey or Redis.
    Remote(Remote),
}

/// Limits of a memory store. They apply to originals and to forms separately.
#[derive(Clone, Copy, Debug)]
pub struct StoreLimits {
    /// Maximum number of bytes, including bookkeeping.
    pub bytes: usize,
    /// Maximum number of texts.
    pub entries: usize,
}

/// The connection settings of Valkey or Redis.
#[derive(Clone)]
pub struct Remote {
    /// `redis://`, `rediss://`, `valkey://` or `valkeys://` addresses; several are nodes of one cluster.
    pub addresses: Vec<String>,
    /// The prefix of all key names.
    pub prefix: String,
    /// Maximum duration of a call, including the time to connect.
    pub deadline: Duration,
    /// Maximum number of calls that run at the same time; further calls fail immediately. Multiplied by `largest`, it
    /// limits the memory used.
    pub calls: usize,
}

/// How long texts are kept after their last use.
#[derive(Clone, Copy, Debug)]
pub struct Lives {
    /// For originals.
    pub original: Duration,
    /// For answers of remote compressors.
    pub form: Duration,
}

impl fmt::Debug for Remote {
    /// Does not print the addresses, because they may contain a password.
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

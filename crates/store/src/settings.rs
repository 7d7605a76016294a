//! What a store is told: where texts are kept, for how long and how many.

use std::fmt;
use std::time::Duration;

use crate::{Life, StoreSecret};

/// Everything about a store.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// Where texts are kept.
    pub place: StorePlace,
    /// What names and seals them; needed as soon as they leave the process.
    pub secret: Option<StoreSecret>,
    /// How long they are kept.
    pub lives: Lives,
    /// How many bytes one text may have.
    pub largest: usize,
}

/// Where texts are kept.
#[derive(Clone, Debug)]
pub enum StorePlace {
    /// In this process, up to a limit.
    Memory(StoreLimits),
    /// In Valkey or Redis.
    Remote(Remote),
}

/// How much of the memory texts may take, originals and forms each.
#[derive(Clone, Copy, Debug)]
pub struct StoreLimits {
    /// Bytes, with what it takes to find them.
    pub bytes: usize,
    /// Texts.
    pub entries: usize,
}

/// How to reach Valkey or Redis.
#[derive(Clone)]
pub struct Remote {
    /// `redis://`, `rediss://`, `valkey://` or `valkeys://` addresses; several are nodes of one cluster.
    pub addresses: Vec<String>,
    /// What all names start with.
    pub prefix: String,
    /// How long a call may take, connecting included.
    pub deadline: Duration,
    /// How many calls may be under way at once; one more fails at once. Times `largest`, it bounds the memory.
    pub calls: usize,
}

/// How long texts are kept since they were last asked for.
#[derive(Clone, Copy, Debug)]
pub struct Lives {
    /// Originals.
    pub original: Duration,
    /// What was made of them.
    pub form: Duration,
}

impl fmt::Debug for Remote {
    /// Leaves out the addresses: they may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { addresses, prefix, deadline, calls } = self;
        let addresses = format_args!("{} of them", addresses.len());
        let mut shown = f.debug_struct("Remote");
        shown.field("addresses", &addresses).field("prefix", prefix);
        shown.field("deadline", deadline).field("calls", calls).finish()
    }
}

impl Lives {
    /// The one for `life`.
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

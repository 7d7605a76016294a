//! The sources of settings: flags, environment, and the folder to search for a file.

use std::path::PathBuf;

use super::env::{self, Environment};
use super::flags::Flags;

/// The sources of settings.
#[derive(Debug, Clone, Default)]
pub struct SettingSources {
    /// The flags.
    pub flags: Flags,
    /// The environment variables.
    pub environment: Environment,
    /// The folder that is searched for a configuration file.
    pub here: PathBuf,
    /// How to treat invalid or forbidden keys in such a file.
    pub found: FoundPolicy,
}

/// How to treat invalid or forbidden keys in a file that the user did not choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FoundPolicy {
    /// Ignore and report them: a downloaded project must not keep a command from starting.
    #[default]
    Ignore,
    /// Refuse to start: a server must not silently ignore settings.
    Refuse,
}

impl SettingSources {
    /// The sources of this process.
    #[must_use]
    pub fn new(flags: &Flags) -> Self {
        Self {
            flags: flags.clone(),
            environment: env::own(),
            here: PathBuf::from("."),
            found: FoundPolicy::Ignore,
        }
    }

    /// The same for a server.
    #[must_use]
    pub fn of_server(flags: &Flags) -> Self {
        Self { found: FoundPolicy::Refuse, ..Self::new(flags) }
    }
}

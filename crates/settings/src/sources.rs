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
    /// How to treat invalid or forbidden keys in a file found there.
    pub found: FoundPolicy,
}

/// How to treat invalid or forbidden keys in a file that the user did not choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FoundPolicy {
    /// Ignore and report them: a downloaded project must not prevent a command from starting.
    #[default]
    Ignore,
    /// Refuse to start: a server must not silently ignore settings.
    Refuse,
}

impl SettingSources {
    /// The sources of settings for this process.
    #[must_use]
    pub fn new(flags: &Flags) -> Self {
        Self {
            flags: flags.clone(),
            environment: env::own(),
            here: PathBuf::from("."),
            found: FoundPolicy::Ignore,
        }
    }

    /// The sources of settings for a server, which refuses to start if keys are invalid or forbidden.
    #[must_use]
    pub fn of_server(flags: &Flags) -> Self {
        Self { found: FoundPolicy::Refuse, ..Self::new(flags) }
    }
}

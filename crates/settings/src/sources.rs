//! Where to look for what was typed: flags, the environment, a folder.

use std::path::PathBuf;

use super::env::{self, Environment};
use super::flags::Flags;

/// Where to look for what was typed.
#[derive(Debug, Clone, Default)]
pub struct SettingSources {
    /// The flags.
    pub flags: Flags,
    /// The environment variables.
    pub environment: Environment,
    /// The folder that is looked in for a file that nobody named.
    pub here: PathBuf,
    /// What becomes of what such a file may not say, or says wrong.
    pub found: FoundPolicy,
}

/// What becomes of what is wrong with a file that nobody named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FoundPolicy {
    /// It is ignored, and told: a downloaded project does not keep a person's command from starting.
    #[default]
    Ignore,
    /// Nothing starts: whoever starts a server is told what it would not do.
    Refuse,
}

impl SettingSources {
    /// What was typed, in this process's environment and folder.
    pub fn new(flags: &Flags) -> Self {
        Self {
            flags: flags.clone(),
            environment: env::own(),
            here: PathBuf::from("."),
            found: FoundPolicy::Ignore,
        }
    }

    /// The same for a server.
    pub fn of_server(flags: &Flags) -> Self {
        Self { found: FoundPolicy::Refuse, ..Self::new(flags) }
    }
}

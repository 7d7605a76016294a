//! Where to look for what was typed: flags, the environment, a folder.

use std::path::PathBuf;

use super::env::{self, Environment};
use super::flags::Flags;

/// Where to look for what was typed.
#[derive(Debug, Clone, Default)]
pub(crate) struct SettingSources {
    pub flags: Flags,
    pub environment: Environment,
    /// The folder that is looked in for a file that nobody named.
    pub here: PathBuf,
}

impl SettingSources {
    /// What was typed, in this process's environment and folder.
    pub(crate) fn new(flags: &Flags) -> Self {
        Self { flags: flags.clone(), environment: env::own(), here: PathBuf::from(".") }
    }
}

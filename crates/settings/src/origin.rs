//! The origin of a value.

use std::fmt;
use std::sync::Arc;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The default: the value is not set anywhere.
    Default,
    /// A file, and the line in it.
    File(Arc<str>, usize),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(&'static str),
}

impl SettingOrigin {
    /// The precedence: a higher rank overrides a lower one.
    #[must_use]
    pub fn rank(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::File(..) => 1,
            Self::Environment(_) => 2,
            Self::Flag(_) => 3,
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => write!(f, "file {path}:{line}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

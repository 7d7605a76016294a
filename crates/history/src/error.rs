//! Errors of reading or writing a history.

use std::fmt;
use std::io;

/// Why a history cannot be read or written.
#[derive(Debug)]
pub enum HistoryError {
    /// The history file does not exist.
    Missing,
    /// A later version of the program wrote the history; the number is its schema version.
    Newer(u32),
    /// The folder or the file cannot be opened or created.
    File(io::Error),
    /// The database returned an error.
    Database(rusqlite::Error),
}

impl HistoryError {
    /// True when the file is not a history or is damaged.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let Self::Database(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no history yet"),
            Self::Newer(version) => write!(f, "a later version of tersely wrote it (schema {version})"),
            Self::File(error) => error.fmt(f),
            Self::Database(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HistoryError {}

impl From<rusqlite::Error> for HistoryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<io::Error> for HistoryError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

//! What a caller did wrong: an error names the argument. Content is never an error, except where it is to be decoded.

use std::fmt;

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedError {
    /// An argument has no such value; its name, and a sentence that begins with the name.
    Argument(String, String),
    /// A text that is marked as compressed cannot be decoded.
    Content(String),
}

impl EmbedError {
    /// An error about an argument.
    pub(crate) fn argument(name: &str, why: impl fmt::Display) -> Self {
        Self::Argument(name.to_owned(), format!("{name}: {why}"))
    }

    /// `argument` or `content`, for callers in other languages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Argument(..) => "argument",
            Self::Content(_) => "content",
        }
    }
}

impl std::error::Error for EmbedError {}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Argument(_, message) | Self::Content(message)) = self;
        f.write_str(message)
    }
}

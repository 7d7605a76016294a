//! Grades how much information a change loses.

use std::str::FromStr;

/// How much information cannot be recovered from the changed text alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Loss {
    /// No loss: the text can be decoded byte for byte.
    None,
    /// The layout is lost; the same information is written in a different notation.
    Form,
    /// Detail is lost, but can be fetched back by a reference.
    #[default]
    Detail,
}

impl Loss {
    /// The name used in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Form => "form",
            Self::Detail => "detail",
        }
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        [Self::None, Self::Form, Self::Detail]
            .into_iter()
            .find(|loss| loss.name() == word)
            .ok_or_else(|| format!("unknown loss {word:?}; use none, form or detail"))
    }
}

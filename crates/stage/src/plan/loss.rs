//! What a change costs in information.

use std::str::FromStr;

/// What cannot be had back from a changed text alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Loss {
    /// Nothing: it decodes byte for byte.
    None,
    /// The layout: the same information stands there, written otherwise.
    Form,
    /// Detail: it stands behind a reference.
    #[default]
    Detail,
}

impl Loss {
    /// The loss's name in settings and reports.
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

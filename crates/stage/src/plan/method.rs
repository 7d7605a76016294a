//! Selects how a dictionary of repeated phrases is built.

use std::str::FromStr;

/// The ways to build a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DictionaryMethod {
    /// From byte sequences of a few fixed lengths.
    #[default]
    Lzw,
    /// From phrases of whole tokens.
    Repair,
    /// Builds both dictionaries and uses the shorter result.
    Auto,
}

impl DictionaryMethod {
    /// The name used in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lzw => "lzw",
            Self::Repair => "repair",
            Self::Auto => "auto",
        }
    }
}

impl FromStr for DictionaryMethod {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word.to_ascii_lowercase().as_str() {
            "lzw" => Ok(Self::Lzw),
            "repair" | "re-pair" => Ok(Self::Repair),
            "auto" => Ok(Self::Auto),
            _ => Err(format!("unknown dictionary {word:?}; use lzw, repair or auto")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 4.1.
    #[test]
    fn names_and_aliases_are_read() {
        for method in [DictionaryMethod::Lzw, DictionaryMethod::Repair, DictionaryMethod::Auto] {
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert_eq!("Re-Pair".parse(), Ok(DictionaryMethod::Repair));
        assert!("zip".parse::<DictionaryMethod>().is_err());
    }
}

//! How far a compression may go.

use std::str::FromStr;

/// The contract's four modes, each running the stages of those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Mode {
    /// Nothing changes.
    Disabled,
    /// Secrets, terminal codes, binary and size only.
    Safe,
    /// Exact forms, and what families leave out behind a reference.
    #[default]
    Standard,
    /// Whatever is left to save.
    Aggressive,
}

impl Mode {
    /// The mode's name in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Safe => "safe",
            Self::Standard => "standard",
            Self::Aggressive => "aggressive",
        }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word.to_ascii_lowercase().as_str() {
            "disabled" | "off" | "false" | "none" => Ok(Self::Disabled),
            "safe" => Ok(Self::Safe),
            "standard" | "on" | "true" => Ok(Self::Standard),
            "aggressive" => Ok(Self::Aggressive),
            _ => Err(format!("{word:?} is no mode: disabled, safe, standard or aggressive")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contract 3.1.
    #[test]
    fn names_and_aliases_are_read() {
        for (word, mode) in [("off", Mode::Disabled), ("TRUE", Mode::Standard), ("Safe", Mode::Safe)] {
            assert_eq!(word.parse(), Ok(mode));
        }
        assert_eq!("aggressive".parse::<Mode>().map(Mode::name), Ok("aggressive"));
        assert!("more".parse::<Mode>().is_err());
    }
}

//! Defines modes: how far compression goes.

use std::str::FromStr;

/// How far compression goes. Each mode also runs the stages of the modes before it; the first two modes change nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Mode {
    /// Changes nothing.
    Disabled,
    /// Changes nothing; computes and reports the effect of [`Mode::Standard`].
    Observe,
    /// Masks secrets, removes terminal codes and binary data, and limits the size.
    Safe,
    /// Also uses exact forms, and cuts for families of commands if a reference can fetch the omitted text back.
    #[default]
    Standard,
    /// Uses everything that saves tokens.
    Aggressive,
}

/// The profiles: numbered modes whose output never changes between releases, which a test of the engine ensures. A mode
/// without a number means its latest profile.
const PROFILES: [(&str, Mode); 3] =
    [("safe@1", Mode::Safe), ("standard@1", Mode::Standard), ("aggressive@1", Mode::Aggressive)];

impl Mode {
    /// The mode that computes the result, whether or not the result is sent.
    #[must_use]
    pub fn at_work(self) -> Self {
        if self == Self::Observe { Self::Standard } else { self }
    }

    /// The name used in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Observe => "observe",
            Self::Safe => "safe",
            Self::Standard => "standard",
            Self::Aggressive => "aggressive",
        }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        if word.contains('@') {
            return profile(word);
        }
        match word.to_ascii_lowercase().as_str() {
            "disabled" | "off" | "false" | "none" => Ok(Self::Disabled),
            "observe" => Ok(Self::Observe),
            "safe" => Ok(Self::Safe),
            "standard" | "on" | "true" => Ok(Self::Standard),
            "aggressive" => Ok(Self::Aggressive),
            _ => Err(format!("unknown mode {word:?}; use disabled, observe, safe, standard or aggressive")),
        }
    }
}

fn profile(word: &str) -> Result<Mode, String> {
    let found = PROFILES.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    let names = || PROFILES.map(|(name, _)| name).join(", ");
    found.map(|(_, mode)| mode).ok_or_else(|| format!("unknown profile {word:?}; use {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 3.1.
    #[test]
    fn names_and_aliases_are_read() {
        for (word, mode) in [
            ("off", Mode::Disabled),
            ("TRUE", Mode::Standard),
            ("Safe", Mode::Safe),
            ("Observe", Mode::Observe),
        ] {
            assert_eq!(word.parse(), Ok(mode));
        }
        assert_eq!("aggressive".parse::<Mode>().map(Mode::name), Ok("aggressive"));
        assert!("more".parse::<Mode>().is_err());
    }

    #[test]
    fn a_profile_is_a_mode_with_a_number() {
        for (word, mode) in
            [("standard@1", Mode::Standard), ("SAFE@1", Mode::Safe), ("aggressive@1", Mode::Aggressive)]
        {
            assert_eq!(word.parse(), Ok(mode));
        }
        for word in ["standard@2", "standard@", "@1", "disabled@1", "standard@1@1", "standard@01"] {
            let error = word.parse::<Mode>().unwrap_err();
            assert_eq!(error, format!("unknown profile {word:?}; use safe@1, standard@1, aggressive@1"));
        }
    }
}

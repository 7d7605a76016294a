//! When old results are cleared.

use std::str::FromStr;

/// When old results are cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClearMode {
    /// Never.
    #[default]
    Off,
    /// When the provider's cache is gone.
    Cold,
    /// When the provider's cache is gone, in half of the sessions, so that they can be compared with the others.
    Half,
}

impl ClearMode {
    /// The names of all choices.
    pub const NAMES: [&'static str; 3] = ["off", "cold", "half"];

    /// The name of this choice.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Cold => "cold",
            Self::Half => "half",
        }
    }
}

impl FromStr for ClearMode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known =
            [Self::Off, Self::Cold, Self::Half].into_iter().find(|it| it.name().eq_ignore_ascii_case(word));
        known.ok_or_else(|| format!("{word:?} is not one of {}", Self::NAMES.join(", ")))
    }
}

//! The share of sessions that is held out: parsing, formatting and arithmetic.

use std::fmt;
use std::str::FromStr;

/// All sessions, in millionths.
pub(crate) const ALL: u32 = 1_000_000;

/// A share of sessions, in millionths.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct HoldoutShare(u32);

impl HoldoutShare {
    /// Half of the sessions.
    pub const HALF: Self = Self(ALL / 2);

    /// A share in millionths, limited to less than all.
    #[must_use]
    pub fn millionths(count: u32) -> Self {
        Self(count.min(ALL - 1))
    }

    /// The share in millionths.
    #[must_use]
    pub fn in_millionths(self) -> u32 {
        self.0
    }

    /// The share as a fraction of 1.
    #[must_use]
    pub fn part(self) -> f64 {
        f64::from(self.0) / f64::from(ALL)
    }
}

impl FromStr for HoldoutShare {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let fault = || format!("{word:?} is not a share of sessions; write 5%, 0.5% or 0");
        let word = word.trim();
        if ["0", "off", "none"].contains(&word) {
            return Ok(Self(0));
        }
        let number = word.strip_suffix('%').ok_or_else(fault)?.trim_end();
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 4 {
            return Err(fault());
        }
        let share: u32 = format!("{whole}{part:0<4}").parse().map_err(|_| fault())?;
        if share >= ALL { Err("must be less than 100%".to_owned()) } else { Ok(Self(share)) }
    }
}

impl fmt::Display for HoldoutShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = format!("{:04}", self.0 % 10_000);
        let part = part.trim_end_matches('0');
        let dot = if part.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{part}%", self.0 / 10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_and_shown() {
        for (word, shown) in [
            ("5%", "5%"),
            (" 0.5 % ", "0.5%"),
            ("12.3456%", "12.3456%"),
            ("0", "0%"),
            ("off", "0%"),
            ("99.9999%", "99.9999%"),
        ] {
            assert_eq!(word.parse::<HoldoutShare>().map(|it| it.to_string()), Ok(shown.to_owned()), "{word}");
        }
        for word in ["", "5", "0.05", "%", "-1%", "+5%", "5%%", "1.23456%", "x%", "99999999999%"] {
            assert!(word.parse::<HoldoutShare>().is_err(), "{word}");
        }
        assert_eq!("100%".parse::<HoldoutShare>(), Err("must be less than 100%".to_owned()));
    }
}

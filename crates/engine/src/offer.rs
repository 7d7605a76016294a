//! Says where the tool is offered with which a model fetches back what was left out.
//!
//! The tool costs its tokens in every request, and saves nothing until something is left out. Where the rest of a
//! request is short, that shows on the bill; where it is long, it does not. The decision rests on what comes before
//! the conversation, so it holds for all of a conversation: a tool that came or went would cost the whole prompt cache.

use std::str::FromStr;

/// Where the tool is offered, if something may be left out at all. Where it is not, nothing is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExpandOffer {
    /// Wherever it can be hidden.
    #[default]
    Always,
    /// Where tools and system prompt are long enough for it to pay.
    Auto,
    /// Nowhere.
    Never,
}

/// The shortest head with which `auto` offers the tool, in bytes: about six thousand tokens.
///
/// Behind such a head the tool is a bit more than one percent of the first request, and less of those that follow.
/// Agents with many tools have longer heads; assistants that look up a few records have shorter ones.
pub(crate) const LEAST_HEAD: usize = 24_000;

impl ExpandOffer {
    /// Every way, by name.
    pub const NAMES: [&'static str; 3] = ["auto", "always", "never"];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Auto => "auto",
            Self::Never => "never",
        }
    }

    /// True when the tool is offered in a request with a head of so many bytes.
    pub(crate) fn holds(self, head: impl FnOnce() -> usize) -> bool {
        match self {
            Self::Always => true,
            Self::Auto => head() >= LEAST_HEAD,
            Self::Never => false,
        }
    }
}

impl FromStr for ExpandOffer {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let all = [Self::Always, Self::Auto, Self::Never];
        let known = all.into_iter().find(|it| it.name().eq_ignore_ascii_case(word));
        known.ok_or_else(|| format!("{word:?} is not one of {}", Self::NAMES.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_head_has_room_for_it() {
        for (offer, expected) in [
            (ExpandOffer::Always, [true, true]),
            (ExpandOffer::Auto, [false, true]),
            (ExpandOffer::Never, [false, false]),
        ] {
            assert_eq!([LEAST_HEAD - 1, LEAST_HEAD].map(|head| offer.holds(|| head)), expected, "{offer:?}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for name in ExpandOffer::NAMES {
            assert_eq!(name.to_uppercase().parse().map(ExpandOffer::name), Ok(name));
        }
        assert_eq!("yes".parse::<ExpandOffer>(), Err("\"yes\" is not one of auto, always, never".to_owned()));
    }
}

//! How much of a provider's limits an account has used, as the headers of responses report it.

use std::fmt;

/// Maximum number of limits that are recorded of one response.
pub const MAX_LIMITS: usize = 6;

/// Minutes in an hour and in a day.
const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;

/// The largest difference, in seconds, between two reports of the same reset. Some providers report the time that
/// remains, so the sum with our clock varies.
const RESET_JITTER: u64 = 120;

/// What a limit counts.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum LimitKind {
    /// All use of a subscription in a window of this many minutes: 300 is the 5-hour window.
    Window(u32),
    /// Tokens of an API key, over a minute or so.
    Tokens,
    /// Requests of an API key, over a minute or so.
    Requests,
}

/// What the provider does with requests.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LimitState {
    /// The provider reports nothing that we know.
    #[default]
    Unknown,
    /// Requests are answered.
    Allowed,
    /// Requests are answered, and the limit is near.
    Warning,
    /// Requests are refused.
    Rejected,
}

/// How much of one limit was used when a response arrived.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LimitUse {
    /// The limit.
    pub kind: LimitKind,
    /// The part that is used, in hundredths of a percent. It may exceed the limit.
    pub used: u32,
    /// When the count starts again, in seconds since 1970.
    pub resets: Option<u64>,
    /// What the provider does with requests.
    pub state: LimitState,
}

/// How far a limit rose while it was watched.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LimitRise {
    /// The latest report.
    pub latest: LimitUse,
    /// The sum of all rises within one window, in hundredths of a percent.
    pub risen: u32,
}

impl LimitKind {
    /// The window that subscribers watch most.
    pub const FIVE_HOURS: Self = Self::Window(5 * HOUR);
    /// The longer window of most subscriptions.
    pub const SEVEN_DAYS: Self = Self::Window(7 * DAY);

    /// Reads a name that [`fmt::Display`] wrote.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "tokens" => return Some(Self::Tokens),
            "requests" => return Some(Self::Requests),
            _ => {}
        }
        let unit = match name.bytes().last()? {
            b'd' => DAY,
            b'h' => HOUR,
            b'm' => 1,
            _ => return None,
        };
        let count: u32 = name.get(..name.len() - 1)?.parse().ok()?;
        count.checked_mul(unit).map(Self::Window)
    }

    /// True for a window of a subscription.
    #[must_use]
    pub fn is_window(self) -> bool {
        matches!(self, Self::Window(_))
    }
}

/// The short name, such as `5h`, `7d` or `tokens`.
impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Window(minutes) if minutes.is_multiple_of(DAY) => write!(f, "{}d", minutes / DAY),
            Self::Window(minutes) if minutes.is_multiple_of(HOUR) => write!(f, "{}h", minutes / HOUR),
            Self::Window(minutes) => write!(f, "{minutes}m"),
            Self::Tokens => f.write_str("tokens"),
            Self::Requests => f.write_str("requests"),
        }
    }
}

const STATES: [(LimitState, &str); 3] = [
    (LimitState::Allowed, "allowed"),
    (LimitState::Warning, "allowed_warning"),
    (LimitState::Rejected, "rejected"),
];

impl LimitState {
    /// The state that a header or a history names.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        STATES.iter().find(|(_, known)| *known == name).map_or(Self::Unknown, |(state, _)| *state)
    }

    /// The name of the state; `None` if it is unknown.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        STATES.iter().find(|(state, _)| *state == self).map(|(_, name)| *name)
    }
}

impl LimitUse {
    /// True when two reports are of the same window: its reset is the same, as far as the provider says.
    fn is_same_window(&self, other: &Self) -> bool {
        match (self.resets, other.resets) {
            (Some(one), Some(two)) => one.abs_diff(two) <= RESET_JITTER,
            (one, two) => one == two,
        }
    }
}

impl LimitRise {
    /// Starts to watch at this report; what was used before it does not count.
    #[must_use]
    pub fn new(first: LimitUse) -> Self {
        Self { latest: first, risen: 0 }
    }

    /// Adds the next report. Only a rise within one window counts: after a reset, nobody knows who used the first part
    /// of the new window, and a report that fell is a correction.
    pub fn see(&mut self, next: LimitUse) {
        if self.latest.is_same_window(&next) {
            self.risen = self.risen.saturating_add(next.used.saturating_sub(self.latest.used));
        }
        self.latest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(used: u32, resets: Option<u64>) -> LimitUse {
        LimitUse { kind: LimitKind::FIVE_HOURS, used, resets, state: LimitState::Allowed }
    }

    #[test]
    fn names_come_back() {
        for (kind, name) in [
            (LimitKind::FIVE_HOURS, "5h"),
            (LimitKind::SEVEN_DAYS, "7d"),
            (LimitKind::Window(15), "15m"),
            (LimitKind::Tokens, "tokens"),
            (LimitKind::Requests, "requests"),
        ] {
            assert_eq!((kind.to_string().as_str(), LimitKind::of_name(name)), (name, Some(kind)));
        }
        for name in ["", "d", "5", "-5h", "99999999999d", "4294967295d", "5é"] {
            assert_eq!(LimitKind::of_name(name), None, "{name}");
        }
        assert_eq!(LimitState::of_name("allowed_warning").name(), Some("allowed_warning"));
        assert_eq!(LimitState::of_name("anything else").name(), None);
    }

    #[test]
    fn only_rises_within_a_window_count() {
        let mut rise = LimitRise::new(report(1_000, Some(9_000)));
        for (used, resets, risen) in [
            (1_250, 9_000, 250),
            // The provider reports the time that remains, so the reset moves a little.
            (1_300, 9_060, 300),
            // A correction.
            (1_200, 9_000, 300),
            (1_500, 9_000, 600),
            // A new window.
            (400, 27_000, 600),
            (450, 27_000, 650),
        ] {
            rise.see(report(used, Some(resets)));
            assert_eq!(rise.risen, risen, "at {used}");
        }
    }

    #[test]
    fn a_window_without_a_reset_is_one_window() {
        let mut rise = LimitRise::new(report(100, None));
        rise.see(report(300, None));
        rise.see(report(700, Some(5)));
        assert_eq!(rise.risen, 200, "what begins to name its reset may be another window");
        rise.see(report(u32::MAX, Some(5)));
        rise.see(report(0, Some(5)));
        rise.see(report(u32::MAX, Some(5)));
        assert_eq!(rise.risen, u32::MAX);
    }
}

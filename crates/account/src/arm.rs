//! Whether the compressed request was sent, and the arm of its session in a trial.

use crate::share::HoldoutShare;

/// Whether the compressed request was sent, and the arm of its session in a trial.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Arm {
    /// Compressed; there is no trial.
    #[default]
    Applied,
    /// Compressed for the record only; the original was sent.
    Observed,
    /// Compressed; this share of sessions is held out for comparison.
    Treated(HoldoutShare),
    /// The session is held out: compressed for the record only; the original was sent.
    HeldOut(HoldoutShare),
    /// Compressed; the session may be cleared, and this share of sessions may not, for comparison.
    Cleared(HoldoutShare),
    /// Compressed; the session is never cleared, for comparison.
    Uncleared(HoldoutShare),
}

impl Arm {
    /// The name in events, in the history and in headers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Observed => "observed",
            Self::Treated(_) => "treated",
            Self::HeldOut(_) => "held_out",
            Self::Cleared(_) => "cleared",
            Self::Uncleared(_) => "uncleared",
        }
    }

    /// True when the compressed request was sent.
    #[must_use]
    pub fn is_applied(self) -> bool {
        !matches!(self, Self::Observed | Self::HeldOut(_))
    }

    /// The share that is held out, if the session is part of a trial.
    #[must_use]
    pub fn share(self) -> Option<HoldoutShare> {
        match self {
            Self::Applied | Self::Observed => None,
            Self::Treated(share) | Self::HeldOut(share) | Self::Cleared(share) | Self::Uncleared(share) => {
                Some(share)
            }
        }
    }
}

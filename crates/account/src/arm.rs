//! Whether what was made of a request was sent.

use crate::share::HoldoutShare;

/// Whether what was made of a request was sent, and in which group of a trial its session is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Arm {
    /// It was sent, and there is no trial.
    #[default]
    Applied,
    /// It was worked out and recorded; the request was sent as it came.
    Observed,
    /// It was sent, and this share of sessions is held out for comparison.
    Treated(HoldoutShare),
    /// Its session is held out: it was recorded, and the request was sent as it came.
    HeldOut(HoldoutShare),
}

impl Arm {
    /// Its name in events, in the history and in headers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Observed => "observed",
            Self::Treated(_) => "treated",
            Self::HeldOut(_) => "held_out",
        }
    }

    /// True when what was made of the request was sent.
    #[must_use]
    pub fn is_applied(self) -> bool {
        matches!(self, Self::Applied | Self::Treated(_))
    }

    /// The share that is held out in the trial that its session is part of, if it is part of one.
    #[must_use]
    pub fn share(self) -> Option<HoldoutShare> {
        match self {
            Self::Applied | Self::Observed => None,
            Self::Treated(share) | Self::HeldOut(share) => Some(share),
        }
    }
}

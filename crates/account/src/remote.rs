//! What became of the results that a remote compressor was to shorten.

use std::ops::AddAssign;

/// What became of one result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RemoteOutcome {
    /// The compressor gave a shorter text.
    Shortened,
    /// Its text was not shorter, so it was not used.
    Useless,
    /// The compressor could not be reached, or reported an error of its own.
    Failed,
    /// The compressor refused the request, or its answer could not be read.
    Refused,
    /// The answer did not come in time.
    Late,
    /// It was not asked, because it failed several times in a row.
    Breaker,
    /// It was not asked, because there was no room or no turn for another call in time.
    Full,
    /// It was not asked, because the client had gone.
    Left,
}

/// Number of results for each outcome.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RemoteSums([u64; RemoteOutcome::ALL.len()]);

impl RemoteOutcome {
    /// All outcomes, in the order in which they are declared.
    pub const ALL: [Self; 8] = [
        Self::Shortened,
        Self::Useless,
        Self::Failed,
        Self::Refused,
        Self::Late,
        Self::Breaker,
        Self::Full,
        Self::Left,
    ];

    /// The name in metrics and events.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shortened => "shortened",
            Self::Useless => "useless",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Late => "late",
            Self::Breaker => "breaker",
            Self::Full => "full",
            Self::Left => "left",
        }
    }

    /// True if the compressor was called.
    #[must_use]
    pub fn was_asked(self) -> bool {
        !matches!(self, Self::Breaker | Self::Full | Self::Left)
    }
}

impl RemoteSums {
    /// Adds one result.
    pub fn count(&mut self, outcome: RemoteOutcome) {
        self.0[outcome as usize] += 1;
    }

    /// The number of results for each outcome.
    pub fn each(&self) -> impl Iterator<Item = (RemoteOutcome, u64)> {
        RemoteOutcome::ALL.into_iter().zip(self.0)
    }

    /// True if no result was to be shortened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }
}

impl AddAssign for RemoteSums {
    fn add_assign(&mut self, other: Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_has_a_count_of_its_own() {
        let mut sums = RemoteSums::default();
        assert!(sums.is_empty());
        for (at, outcome) in RemoteOutcome::ALL.into_iter().enumerate() {
            (0..=at).for_each(|_| sums.count(outcome));
        }
        let counts: Vec<_> = sums.each().map(|(outcome, count)| (outcome.name(), count)).collect();
        assert_eq!((counts[0], counts[5], counts[7]), (("shortened", 1), ("breaker", 6), ("left", 8)));
    }
}

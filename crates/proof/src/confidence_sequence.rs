//! A confidence sequence for the difference of two means: it holds however often someone looks.

use crate::betting::{Bets, EDGE, Runs};

/// The chance that the sequence holds the truth at every look, at the least.
pub const LEVEL: f64 = 0.95;

/// Steps in which an end is looked for: to a thirty thousandth of the range.
const ENDS: usize = 16;

/// Steps in which the claim is looked for that is hardest to disprove.
const MEANS: usize = 26;

/// The difference of two means, and where it is believed to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanGap {
    /// The mean of the first less that of the second, as far as they are known.
    pub difference: f64,
    /// The least that it may be.
    pub low: f64,
    /// The most that it may be.
    pub high: f64,
}

impl MeanGap {
    /// True when there is a difference, whichever.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// The logarithm of what must be owned to disprove a claim; each end gets half of what may go wrong.
#[must_use]
pub fn threshold() -> f64 {
    (2.0 / (1.0 - LEVEL)).ln()
}

/// Where the mean of `first` less that of `second` is, for values between 0 and 1. `ratio` is how many of the second there
/// are for one of the first, and `level` about where the means are, both known beforehand.
#[must_use]
pub fn gap(first: &[f64], second: &[f64], ratio: f64, level: f64) -> MeanGap {
    let difference = mean(first) - mean(second);
    let high = most(first, second, &Bets::tied(ratio, level));
    let low = -most(second, first, &Bets::tied(1.0 / ratio, level));
    MeanGap { difference, low, high }
}

/// The most that the mean of `low` can be above that of `high`.
fn most(low: &[f64], high: &[f64], bets: &Bets) -> f64 {
    let (mut holds, mut fails) = (mean(low) - mean(high), 1.0);
    let (low, high) = (Runs::low(low), Runs::high(high));
    for _ in 0..ENDS {
        let middle = f64::midpoint(holds, fails);
        if hardest(&low, &high, bets, middle) < threshold() {
            holds = middle;
        } else {
            fails = middle;
        }
    }
    fails
}

/// What the gamblers own if the means differ by so much and are where that is hardest to disprove.
fn hardest(low: &Runs, high: &Runs, bets: &Bets, difference: f64) -> f64 {
    let owned = |mean: f64| bets.all((low, mean + difference), (high, mean));
    let (mut from, mut to) = (EDGE.max(EDGE - difference), (1.0 - EDGE).min(1.0 - EDGE - difference));
    if from >= to {
        return f64::INFINITY;
    }
    // The golden section of a convex function.
    let part = (5.0_f64.sqrt() - 1.0) / 2.0;
    let inner = |from: f64, to: f64| (to - part * (to - from), from + part * (to - from));
    let (mut left, mut right) = inner(from, to);
    let (mut at_left, mut at_right) = (owned(left), owned(right));
    for _ in 0..MEANS {
        if at_left < at_right {
            (to, right, at_right) = (right, left, at_left);
            left = inner(from, to).0;
            at_left = owned(left);
        } else {
            (from, left, at_left) = (left, right, at_right);
            right = inner(from, to).1;
            at_right = owned(right);
        }
    }
    at_left.min(at_right)
}

#[expect(clippy::cast_precision_loss, reason = "there are never so many values")]
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

//! Computes a confidence sequence for the difference of two means: an interval that is valid however often someone
//! looks.

use crate::betting::{Bets, EDGE, Runs};

/// The minimum probability that the interval contains the true difference at every look.
pub const LEVEL: f64 = 0.95;

/// The number of bisection steps for each end of the interval, for a precision of about 1/30,000 of the range.
const ENDS: usize = 16;

/// The number of search steps for the claim that is hardest to disprove.
const MEANS: usize = 26;

/// The difference of two means, with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanGap {
    /// The observed mean of the first group minus the observed mean of the second group.
    pub difference: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl MeanGap {
    /// True when the interval excludes 0.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// The log capital that disproves a claim. Each end of the interval gets half of the error probability.
#[must_use]
pub fn threshold() -> f64 {
    (2.0 / (1.0 - LEVEL)).ln()
}

/// The mean of `first` minus the mean of `second`, with its confidence interval, for values between 0 and 1. `ratio`
/// is the expected number of values in `second` per value in `first`, and `level` is the approximate mean. Both must
/// be fixed in advance.
#[must_use]
pub fn gap(first: &[f64], second: &[f64], ratio: f64, level: f64) -> MeanGap {
    let difference = mean(first) - mean(second);
    let high = most(first, second, &Bets::tied(ratio, level));
    let low = -most(second, first, &Bets::tied(1.0 / ratio, level));
    MeanGap { difference, low, high }
}

/// The upper end of the interval for the mean of `low` minus the mean of `high`.
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

/// The lowest log capital over all claims with this difference, which is the capital for the claim that is hardest to
/// disprove.
fn hardest(low: &Runs, high: &Runs, bets: &Bets, difference: f64) -> f64 {
    let owned = |mean: f64| bets.all((low, mean + difference), (high, mean));
    let (mut from, mut to) = (EDGE.max(EDGE - difference), (1.0 - EDGE).min(1.0 - EDGE - difference));
    if from >= to {
        return f64::INFINITY;
    }
    // Golden-section search; the function is convex.
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

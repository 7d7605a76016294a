//! Computes betting martingales for a two-sample confidence sequence (Waudby-Smith & Ramdas 2024).
//!
//! Each martingale is the capital of a gambler who bets that one group's mean is lower than claimed and the other
//! group's mean is higher. Values are between 0 and 1. If the claim is true, the bets are fair. By Ville's
//! inequality, the probability that a gambler who starts with 1 ever reaches 40 is then at most 1/40, however long
//! the game lasts and however often someone looks. So a gambler who reaches 40 has disproved the claim.

/// The number of gamblers. Each has half the stake of the previous one, and the average of their capitals counts.
const COUNT: usize = 10;

/// The highest stake, as a fraction of the capital. A gambler who stakes everything could lose it all on a single
/// value.
const BOLDEST: f64 = 0.9;

/// The number of factors multiplied before a logarithm is taken; small enough that the product cannot overflow or
/// underflow.
const CHUNK: usize = 16;

/// Minimum distance of a claimed mean from 0 and 1. It limits how much a single value can win.
pub(crate) const EDGE: f64 = 1e-9;

/// The stakes of each gambler on both groups.
#[derive(Clone, Copy, Debug)]
pub struct Bets {
    /// Stakes on values of the first group below its claimed mean, and on values of the second group above its
    /// claimed mean.
    under: [f64; COUNT],
    over: [f64; COUNT],
}

/// Distinct values, and how often each occurs.
pub(crate) struct Runs {
    values: Vec<f64>,
    /// How often each value occurs; empty if each counts once.
    times: Vec<f64>,
}

impl Bets {
    /// Chooses the stakes so that, if both claimed means rise or fall together, the gain on one group offsets the
    /// loss on the other: the smaller group gets the higher stakes. `ratio` is the size of the second group divided
    /// by the size of the first, and `level` is the approximate mean. Both must be fixed before any value is seen.
    #[must_use]
    pub fn tied(ratio: f64, level: f64) -> Self {
        let bolder = ratio * (1.0 - level) / level;
        let mut bets = Self { under: [0.0; COUNT], over: [0.0; COUNT] };
        let mut stake = BOLDEST;
        for (under, over) in bets.under.iter_mut().zip(&mut bets.over) {
            (*under, *over) = (stake * bolder.min(1.0), stake * (1.0 / bolder).min(1.0));
            stake /= 2.0;
        }
        bets
    }

    /// Adds the log factors for one value of the first group, whose claimed mean is `mean`.
    pub fn add_under(&self, mean: f64, value: f64, logs: &mut [f64]) {
        for (stake, log) in self.under.iter().zip(logs) {
            *log += (1.0 - stake + stake * (1.0 - value) / (1.0 - mean)).ln();
        }
    }

    /// Adds the log factors for one value of the second group, whose claimed mean is `mean`.
    pub fn add_over(&self, mean: f64, value: f64, logs: &mut [f64]) {
        for (stake, log) in self.over.iter().zip(logs) {
            *log += (1.0 - stake + stake * value / mean).ln();
        }
    }

    /// The initial capitals, as logarithms.
    #[must_use]
    pub fn begin() -> Vec<f64> {
        vec![0.0; COUNT]
    }

    /// The logarithm of the average capital.
    #[must_use]
    pub fn mean(logs: &[f64]) -> f64 {
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        most + (sum / f64::from(u32::try_from(COUNT).unwrap_or(1))).ln()
    }

    /// The logarithm of the average capital after all values of both groups. For a fixed difference of the claimed
    /// means, it is convex in either mean.
    pub(crate) fn all(&self, (low, low_mean): (&Runs, f64), (high, high_mean): (&Runs, f64)) -> f64 {
        let mut logs = Self::begin();
        for ((under, over), log) in self.under.iter().zip(&self.over).zip(&mut logs) {
            *log = low.sum(|value| 1.0 - under + under * (1.0 - value) / (1.0 - low_mean))
                + high.sum(|value| 1.0 - over + over * value / high_mean);
        }
        Self::mean(&logs)
    }
}

impl Runs {
    /// If there are more values than this, they are rounded to multiples of 1 / `STEPS`, each in the direction that
    /// wins less.
    const STEPS: u32 = 2048;

    /// The values of the group whose mean is bet to be low, rounded up.
    pub(crate) fn low(values: &[f64]) -> Self {
        Self::gathered(values, f64::ceil)
    }

    /// The values of the group whose mean is bet to be high, rounded down.
    pub(crate) fn high(values: &[f64]) -> Self {
        Self::gathered(values, f64::floor)
    }

    fn gathered(values: &[f64], round: fn(f64) -> f64) -> Self {
        let steps = f64::from(Self::STEPS);
        if values.len() <= Self::STEPS as usize {
            return Self { values: values.to_vec(), times: Vec::new() };
        }
        let mut sorted: Vec<f64> = values.iter().map(|value| round(value * steps) / steps).collect();
        sorted.sort_by(f64::total_cmp);
        let mut runs = Self { values: Vec::new(), times: Vec::new() };
        for value in sorted {
            match runs.times.last_mut() {
                Some(times) if runs.values.last().is_some_and(|last| last.total_cmp(&value).is_eq()) => {
                    *times += 1.0;
                }
                _ => {
                    runs.values.push(value);
                    runs.times.push(1.0);
                }
            }
        }
        runs
    }

    /// The sum of the logarithms of the factors of all values.
    fn sum(&self, factor: impl Fn(f64) -> f64) -> f64 {
        if self.times.is_empty() {
            let product = |chunk: &[f64]| chunk.iter().map(|value| factor(*value)).product::<f64>().ln();
            return self.values.chunks(CHUNK).map(product).sum();
        }
        self.values.iter().zip(&self.times).map(|(value, times)| times * factor(*value).ln()).sum()
    }
}

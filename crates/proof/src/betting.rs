//! What a gambler owns who bets that one mean is lower than claimed, and another higher.
//!
//! Values lie between 0 and 1. If the claim is true the bets are fair, and a gambler who starts with 1 gets to 40 with a
//! chance of one in forty at most, however long the game and however often someone looks. So whoever gets there has
//! disproved the claim.

/// How many gamblers there are, each half as bold as the one before; what they own on average counts.
const COUNT: usize = 10;

/// What the boldest stakes of what may be lost. One who stakes all can be ruined by a single value.
const BOLDEST: f64 = 0.9;

/// Values whose factors are multiplied before a logarithm is taken: few enough that no product leaves what a number can
/// hold.
const CHUNK: usize = 16;

/// The nearest to 0 or 1 that a claimed mean gets, which bounds what one value can win.
pub(crate) const EDGE: f64 = 1e-9;

/// What each gambler stakes on either group.
#[derive(Clone, Copy, Debug)]
pub struct Bets {
    /// On values below the mean that is claimed for the one group, and on values above that for the other.
    under: [f64; COUNT],
    over: [f64; COUNT],
}

/// Values, and how often each is there.
pub(crate) struct Runs {
    values: Vec<f64>,
    /// Empty where each is there once.
    times: Vec<f64>,
}

impl Bets {
    /// Stakes such that what is won on one group is not lost on the other when both means are claimed a bit higher or
    /// lower: a small group is bet on more boldly. `ratio` is the size of the second group in the first's, `level` about
    /// where the mean is; both must be known before the values are seen.
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

    /// What the gamblers get for one value of the first group, of which this mean is claimed: added to their logarithms.
    pub fn add_under(&self, mean: f64, value: f64, logs: &mut [f64]) {
        for (stake, log) in self.under.iter().zip(logs) {
            *log += (1.0 - stake + stake * (1.0 - value) / (1.0 - mean)).ln();
        }
    }

    /// The same for one of the second group.
    pub fn add_over(&self, mean: f64, value: f64, logs: &mut [f64]) {
        for (stake, log) in self.over.iter().zip(logs) {
            *log += (1.0 - stake + stake * value / mean).ln();
        }
    }

    /// What they own to begin with, as logarithms.
    #[must_use]
    pub fn begin() -> Vec<f64> {
        vec![0.0; COUNT]
    }

    /// The logarithm of what they own on average.
    #[must_use]
    pub fn mean(logs: &[f64]) -> f64 {
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        most + (sum / f64::from(u32::try_from(COUNT).unwrap_or(1))).ln()
    }

    /// The same after all values of both groups. For claimed means that differ by a given amount it is convex in either.
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
    /// Values as they are, or, where they are many, gathered at steps of one in this many: each at the end that wins less.
    const STEPS: u32 = 2048;

    /// Values that are bet to be low.
    pub(crate) fn low(values: &[f64]) -> Self {
        Self::gathered(values, f64::ceil)
    }

    /// Values that are bet to be high.
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

    /// The sum of logarithms of a factor for each value.
    fn sum(&self, factor: impl Fn(f64) -> f64) -> f64 {
        if self.times.is_empty() {
            let product = |chunk: &[f64]| chunk.iter().map(|value| factor(*value)).product::<f64>().ln();
            return self.values.chunks(CHUNK).map(product).sum();
        }
        self.values.iter().zip(&self.times).map(|(value, times)| times * factor(*value).ln()).sum()
    }
}

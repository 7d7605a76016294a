//! Computes the usual range of a column's numbers, to find outliers.

/// The usual range of numbers, as magnitudes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UsualRange {
    low: f64,
    high: f64,
}

/// With fewer numbers, there is no usual range.
const MIN_NUMBERS: usize = 8;

/// Minimum width of the middle half, on a logarithmic scale. Without it, any other number would be an outlier where
/// numbers hardly differ.
const MIN_SPREAD: f64 = 0.4;

/// How far above or below the middle half a number may be, in multiples of the width of that half. The limit for
/// small numbers is wider, because they are usually less interesting.
const MAX_ABOVE: f64 = 2.0;
const MAX_BELOW: f64 = 3.0;

/// Maximum number of outliers at each end of a column. If more numbers are outside the range, they are a second usual
/// kind, and only the farthest count as outliers.
const MAX_OUTLIERS: usize = 8;

impl UsualRange {
    pub(super) fn of(numbers: Vec<f64>) -> Option<Self> {
        if numbers.len() < MIN_NUMBERS {
            return None;
        }
        let mut sizes: Vec<f64> = numbers.into_iter().map(size).collect();
        sizes.sort_by(f64::total_cmp);
        let quarter = |share: usize| sizes[(sizes.len() - 1) * share / 4];
        let spread = (quarter(3) - quarter(1)).max(MIN_SPREAD);
        let farthest = |at: usize| sizes[at.min(sizes.len() - 1)];
        Some(Self {
            low: (quarter(1) - MAX_BELOW * spread).min(farthest(MAX_OUTLIERS)),
            high: (quarter(3) + MAX_ABOVE * spread)
                .max(farthest(sizes.len().saturating_sub(MAX_OUTLIERS + 1))),
        })
    }

    pub(super) fn contains(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&size(number))
    }
}

/// The magnitude of a number on a logarithmic scale, with the number's sign.
fn size(number: f64) -> f64 {
    number.abs().ln_1p().copysign(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(numbers: &[f64]) -> Vec<f64> {
        let usual = UsualRange::of(numbers.to_vec());
        numbers.iter().copied().filter(|number| usual.is_some_and(|usual| !usual.contains(*number))).collect()
    }

    #[test]
    fn what_is_far_from_the_others_is_odd() {
        let mut numbers: Vec<f64> = (0..90).map(f64::from).collect();
        assert_eq!(odd(&numbers), [0.0; 0]);
        numbers.extend([1_500.0, 30_412.0, -70.0]);
        assert_eq!(odd(&numbers), [1_500.0, 30_412.0, -70.0]);
        let counted: Vec<f64> = (1_000..1_400).map(f64::from).collect();
        assert_eq!(odd(&counted), [0.0; 0]);
    }

    #[test]
    fn a_second_kind_of_numbers_is_usual_too() {
        let numbers: Vec<f64> = (0..80).map(|n| if n % 4 == 0 { 1e6 + f64::from(n) } else { 10.0 }).collect();
        assert!(odd(&numbers).len() <= MAX_OUTLIERS, "{:?}", odd(&numbers));
    }

    #[test]
    fn few_numbers_are_never_odd() {
        assert_eq!(odd(&[1.0, 2.0, 1e9]), [0.0; 0]);
        assert_eq!(odd(&[]), [0.0; 0]);
    }
}

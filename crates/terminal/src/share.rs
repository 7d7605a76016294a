//! What was saved, in tenths of a percent, so that shares add no rounding of their own and can be sorted.

use std::fmt;

/// The part of a whole that was saved; negative when it grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(i32);

impl Share {
    /// What is saved when `sent` tokens become `now` tokens.
    #[must_use]
    pub fn saved(sent: usize, now: usize) -> Self {
        let (whole, less) = (sent.max(1) as i128, sent as i128 - now as i128);
        let tenths = (2000 * less + whole * less.signum()) / (2 * whole);
        Self(i32::try_from(tenths).unwrap_or(i32::MIN))
    }

    /// The middle of `shares`, which may come in any order; nothing saved when there are none.
    #[must_use]
    pub fn median(mut shares: Vec<Self>) -> Self {
        shares.sort_unstable();
        let at = |index: usize| shares.get(index).map_or(0, |share| share.0);
        let (low, high) = (shares.len().saturating_sub(1) / 2, shares.len() / 2);
        Self(i32::midpoint(at(low), at(high)))
    }

    /// The share in percent.
    #[must_use]
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 10.0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.1} %", self.percent()))
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn shares_are_rounded_to_the_nearest_tenth() {
        for (sent, now, shown) in [
            (200, 100, "50.0 %"),
            (3, 2, "33.3 %"),
            (3, 1, "66.7 %"),
            (10, 10, "0.0 %"),
            (3, 4, "-33.3 %"),
            (0, 0, "0.0 %"),
        ] {
            assert_eq!(Share::saved(sent, now).to_string(), shown, "{sent} to {now}");
        }
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        for (shares, median) in [(vec![], 0), (vec![7], 7), (vec![9, 1, 2], 2), (vec![40, 10, 20, 30], 25)] {
            assert_eq!(Share::median(shares.into_iter().map(Share).collect()), Share(median));
        }
    }
}

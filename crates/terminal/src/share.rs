//! Savings in tenths of a percent. They are integers, so that they can be sorted and are rounded only once.

use std::fmt;

/// The share of a whole that was saved; negative when the whole grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(i32);

impl Share {
    /// The share that is saved when `sent` tokens become `now` tokens.
    #[must_use]
    pub fn saved(sent: usize, now: usize) -> Self {
        let (whole, less) = (sent.max(1) as i128, sent as i128 - now as i128);
        let tenths = (2000 * less + whole * less.signum()) / (2 * whole);
        Self(i32::try_from(tenths).unwrap_or(i32::MIN))
    }

    /// The median of `shares`; zero when there are none.
    #[must_use]
    pub fn median(shares: Vec<Self>) -> Self {
        Self::quartiles(shares)[1]
    }

    /// The quartiles of `shares`, interpolated linearly.
    #[must_use]
    pub fn quartiles(mut shares: Vec<Self>) -> [Self; 3] {
        shares.sort_unstable();
        let at = |index: usize| shares.get(index).map_or(0, |share| share.0);
        [1, 2, 3].map(|quarters| {
            let place = quarters * shares.len().saturating_sub(1);
            let (low, high) = (at(place / 4), at(place.div_ceil(4)));
            Self(low + (high - low) * i32::try_from(place % 4).unwrap_or(0) / 4)
        })
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
    fn quartiles_lie_where_a_quarter_of_the_way_is() {
        for (shares, quartiles) in [
            (vec![], [0, 0, 0]),
            (vec![7], [7, 7, 7]),
            (vec![50, 10, 40, 20, 30], [20, 30, 40]),
            (vec![0, 40], [10, 20, 30]),
            (vec![-40, 0, 40, 80], [-10, 20, 50]),
        ] {
            let shares = shares.into_iter().map(Share).collect();
            assert_eq!(Share::quartiles(shares), quartiles.map(Share));
        }
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        for (shares, median) in [(vec![], 0), (vec![7], 7), (vec![9, 1, 2], 2), (vec![40, 10, 20, 30], 25)] {
            assert_eq!(Share::median(shares.into_iter().map(Share).collect()), Share(median));
        }
    }
}

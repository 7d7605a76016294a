//! `McNemar`'s exact test: whether one arm loses significantly more answers than it gains.

/// The numbers of right and wrong answers to the same questions, asked as sent and in another arm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AnswerPairs {
    /// Right in both arms.
    pub(super) both: usize,
    /// Right as sent, wrong in the other arm.
    pub(super) lost: usize,
    /// Wrong as sent, right in the other arm.
    pub(super) gained: usize,
    /// Wrong in both arms.
    pub(super) neither: usize,
}

/// The significance level: a difference with a lower probability is reported.
pub(super) const LEVEL: f64 = 0.05;

impl AnswerPairs {
    /// Adds a pair.
    pub(super) fn add(&mut self, sent: bool, other: bool) {
        *match (sent, other) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.lost,
            (false, true) => &mut self.gained,
            (false, false) => &mut self.neither,
        } += 1;
    }

    /// The number of all pairs.
    pub(super) fn all(self) -> usize {
        self.both + self.lost + self.gained + self.neither
    }

    /// The probability that the pairs that differ split at least this unevenly if neither arm is better (two-sided).
    pub(super) fn probability(self) -> f64 {
        let (few, all) = (self.lost.min(self.gained), self.lost + self.gained);
        let mut term = -(float(all) * std::f64::consts::LN_2);
        let mut sum = term.exp();
        for at in 0..few {
            term += (float(all - at) / float(at + 1)).ln();
            sum += term.exp();
        }
        (2.0 * sum).min(1.0)
    }

    /// True when more answers were lost than gained, and chance does not explain the difference.
    pub(super) fn is_worse(self) -> bool {
        self.lost > self.gained && self.probability() < LEVEL
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody asks that many questions")]
fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_a_fair_coin() {
        for (lost, gained, expected) in [
            (0, 0, 1.0),
            (1, 0, 1.0),
            (1, 1, 1.0),
            (5, 0, 0.0625),
            (6, 0, 0.03125),
            (0, 6, 0.03125),
            (8, 2, 0.109_375),
            (10, 1, 0.011_718_75),
            (15, 5, 0.041_389_465),
            (900, 900, 1.0),
        ] {
            let pairs = AnswerPairs { lost, gained, ..AnswerPairs::default() };
            let found = pairs.probability();
            assert!((found - expected).abs() < 1e-8, "{lost} {gained}: {found}");
        }
    }

    #[test]
    fn only_a_loss_that_chance_does_not_explain_is_one() {
        let worse = |lost, gained| AnswerPairs { lost, gained, ..AnswerPairs::default() }.is_worse();
        assert_eq!([worse(6, 0), worse(5, 0), worse(0, 6), worse(1100, 900)], [true, false, false, true]);
    }
}

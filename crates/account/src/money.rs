//! Amounts of money, exact to the last digit of any price.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// Attodollars in a nanodollar.
const NANO: i128 = 1_000_000_000;

/// An amount of US dollars, in attodollars. This unit represents every digit of a token's price exactly.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Money(i128);

impl Money {
    /// An amount of attodollars.
    #[must_use]
    pub fn attodollars(amount: i128) -> Self {
        Self(amount)
    }

    /// The cost of tokens at a rate in attodollars per token.
    #[must_use]
    pub fn of(tokens: u64, rate: u64) -> Self {
        Self(i128::from(tokens) * i128::from(rate))
    }

    /// The amount in attodollars.
    #[must_use]
    pub fn in_attodollars(self) -> i128 {
        self.0
    }

    /// The amount in nanodollars, rounded; 0 if it is negative.
    #[must_use]
    pub fn nanodollars(self) -> u64 {
        u64::try_from(self.0.max(0).saturating_add(NANO / 2) / NANO).unwrap_or(u64::MAX)
    }

    /// The amount in dollars.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sixteen digits are enough for people")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e18
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

//! Token counts that a provider reports.

use std::ops::AddAssign;

use crate::money::Money;
use crate::price::Price;

/// Token counts in a provider's response. The fields do not overlap, except for those that are documented as a part of
/// another.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TokenUsage {
    /// Input at full price.
    pub input: u64,
    /// Input read from the provider's prompt cache.
    pub cache_read: u64,
    /// Input written to the provider's prompt cache.
    pub cache_write: u64,
    /// The part of `cache_write` that was written for an hour.
    pub cache_write_hour: u64,
    /// Output.
    pub output: u64,
    /// The part of the output that is hidden reasoning.
    pub reasoning: u64,
}

impl TokenUsage {
    /// All input.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// What `lost` of these tokens cost more than if they had been read from the cache, in nanodollars.
    #[must_use]
    pub fn extra_cost(&self, price: &Price, lost: u64) -> u64 {
        let rates = price.rates(self.read());
        let hour = lost.min(self.cache_write_hour);
        let written = (lost - hour).min(self.cache_write.saturating_sub(self.cache_write_hour));
        let plain = lost - hour - written;
        let paid = Money::of(hour, rates.cache_write_hour)
            + Money::of(written, rates.cache_write)
            + Money::of(plain, rates.input);
        (paid - Money::of(lost, rates.cache_read)).nanodollars()
    }
}

impl AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cache_write_hour = self.cache_write_hour.saturating_add(other.cache_write_hour);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

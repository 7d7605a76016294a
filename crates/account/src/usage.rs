//! Token counts that a provider reports.

use std::ops::AddAssign;

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

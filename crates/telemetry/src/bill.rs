//! What a provider counted, and what it costs.

use std::ops::AddAssign;

/// Tokens as a provider counted them in its answer. No token is in two of these, but for those of reasoning, which are
/// output too.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct BilledTokens {
    /// Read at full price.
    pub input: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Written to the provider's cache.
    pub cache_write: u64,
    /// Written by the model.
    pub output: u64,
    /// Those of the output that nobody sees.
    pub reasoning: u64,
}

impl BilledTokens {
    /// All that was read.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

impl AddAssign for BilledTokens {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// What a request cost, in billionths of a dollar.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct BilledCost {
    /// What it came to by the provider's counts, the rounds that we caused included.
    pub paid: u64,
    /// What it would have come to without us. An estimate: our count of what was taken out, scaled to the provider's.
    pub without: u64,
}

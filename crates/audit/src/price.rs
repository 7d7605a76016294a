//! What tokens of a model cost.

use tersely_account::TokenUsage;
use tersely_telemetry::ModelPrice;

/// What a million tokens of a model cost, in dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DollarPrice {
    /// Read at full price.
    pub input: f64,
    /// Read from the cache.
    pub cache_read: f64,
    /// Written to the cache for a few minutes.
    pub cache_write: f64,
    /// Written by the model.
    pub output: f64,
}

impl DollarPrice {
    /// The price of a model as a table has it.
    #[must_use]
    pub fn of_model(price: &ModelPrice) -> Self {
        let [input, cache_read, cache_write, output] = price.dollars();
        Self { input, cache_read, cache_write, output }
    }

    /// What some tokens cost. What stays in the cache for an hour costs twice the input, not five quarters.
    #[must_use]
    pub fn of(&self, tokens: TokenUsage, is_long: bool) -> f64 {
        let write = if is_long { self.cache_write.max(self.input * 2.0) } else { self.cache_write };
        let part = |count: u64, price: f64| float(count) * price;
        let sum = part(tokens.input, self.input)
            + part(tokens.cache_read, self.cache_read)
            + part(tokens.cache_write, write)
            + part(tokens.output, self.output);
        sum / 1e6
    }
}

/// A count as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "no count of tokens is that large")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// A number as a count, none where it is less.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub(crate) fn count(number: f64) -> u64 {
    number.round().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_token_has_its_price() {
        let price = DollarPrice { input: 3.0, cache_read: 0.3, cache_write: 3.75, output: 15.0 };
        let tokens =
            TokenUsage { input: 1_000, cache_read: 10_000, cache_write: 2_000, output: 100, reasoning: 50 };
        let check = |is_long, expected: f64| assert!((price.of(tokens, is_long) - expected).abs() < 1e-9);
        check(false, 0.003 + 0.003 + 0.0075 + 0.0015);
        check(true, 0.003 + 0.003 + 0.012 + 0.0015);
    }
}

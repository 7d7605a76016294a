//! Converts the prices of a transcript's model to plain input tokens, so that transcripts of different models can be
//! added.

use tersely_account::{CacheRules, Money, Price, PriceTable, TokenRates, TokenUsage};

/// The number of price units for one plain input token.
pub(crate) const PLAIN: usize = 100;

/// The default models for transcripts without a known model, by request format.
const USUAL: [(&str, &str); 2] = [("anthropic", "claude-sonnet-4-5"), ("gemini", "gemini-2.5-pro")];
const OPENAI: &str = "gpt-5.5";

/// The prices of a transcript's model, and the cache rules of its provider.
#[derive(Debug, Clone)]
pub(crate) struct ModelPrice {
    pub rules: CacheRules,
    price: Price,
}

impl ModelPrice {
    /// The prices of a model, or of the default model for this request format.
    pub(crate) fn of(shape: &str, model: &str) -> Self {
        let table = PriceTable::known();
        let usual = USUAL.iter().find(|(name, _)| *name == shape).map_or(OPENAI, |(_, model)| model);
        let price = table.of(model).filter(|price| price.rates(0).input > 0).or_else(|| table.of(usual));
        let price = price.unwrap_or_else(|| Price::flat(TokenRates { input: 1, ..TokenRates::default() }));
        Self { rules: CacheRules::of(shape, model), price }
    }

    /// The same, with these prices of cache reads and writes, in thousandths of the price of a plain input token.
    pub(crate) fn with(&self, [read, write]: [u64; 2]) -> Self {
        let rates = *self.price.rates(0);
        let [cache_read, cache_write] = [read, write].map(|share| rates.input / 1_000 * share);
        let rates = TokenRates { cache_read, cache_write, cache_write_hour: cache_write, ..rates };
        Self { price: Price::flat(rates), ..self.clone() }
    }

    /// The rates for a request with this many input tokens.
    pub(crate) fn rates(&self, input: u64) -> &TokenRates {
        self.price.rates(input)
    }

    /// The cost of a request, in hundredths of the price of a plain input token in a short request.
    pub(crate) fn cost(&self, usage: &TokenUsage) -> usize {
        self.hundredths(self.price.cost(usage))
    }

    /// The cost of the output, and of the first `first` input tokens, in a request with this usage.
    pub(crate) fn parts(&self, usage: &TokenUsage, first: usize) -> [usize; 2] {
        let rates = self.price.rates(usage.read());
        let rate = if usage.cache_read > 0 { rates.cache_read } else { rates.cache_write };
        [Money::of(usage.output, rates.output), Money::of(first as u64, rate)].map(|it| self.hundredths(it))
    }

    fn hundredths(&self, cost: Money) -> usize {
        let plain = i128::from(self.price.rates(0).input);
        usize::try_from(cost.in_attodollars() * PLAIN as i128 / plain).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Models of the three formats, with the prices of cache reads, cache writes and output in hundredths of the input
    /// price.
    #[test]
    fn prices_are_those_of_the_model_or_the_usual_one() {
        for (shape, model, read, write, output) in [
            ("anthropic", "claude-opus-4-6", 10, 125, 500),
            ("anthropic", "test-model", 10, 125, 500),
            ("chat", "gpt-5.5", 10, 100, 600),
            ("responses", "gpt-5.1-codex", 10, 100, 800),
            ("chat", "gpt-4o-2024-08-06", 50, 100, 400),
            ("chat", "gpt-4-0613", 100, 100, 200),
            ("chat", "nobody/knows-it", 10, 100, 600),
            ("gemini", "", 10, 100, 800),
        ] {
            let price = ModelPrice::of(shape, model);
            let none = TokenUsage::default();
            let costs = [
                TokenUsage { cache_read: 1, ..none },
                TokenUsage { cache_write: 1, ..none },
                TokenUsage { output: 1, ..none },
            ];
            assert_eq!(costs.map(|usage| price.cost(&usage)), [read, write, output], "{model}");
        }
    }
}

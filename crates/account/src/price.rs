//! Model prices, by kind of token and length of request.

use crate::money::Money;
use crate::usage::TokenUsage;

/// Maximum number of decimals of a price in dollars per million tokens.
const DIGITS: usize = 12;

/// The price of a model, by the input length of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Price {
    /// The rates for short requests.
    base: TokenRates,
    /// The rates for requests with more input tokens than each number, in ascending order.
    longer: Vec<(u64, TokenRates)>,
}

/// Attodollars per token of each kind.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TokenRates {
    /// Input at full price.
    pub input: u64,
    /// Input read from the prompt cache.
    pub cache_read: u64,
    /// Input written to the prompt cache, usually for five minutes.
    pub cache_write: u64,
    /// Input written to the prompt cache for an hour.
    pub cache_write_hour: u64,
    /// Output.
    pub output: u64,
    /// Output that is hidden reasoning.
    pub reasoning: u64,
}

impl Price {
    /// A price with the same rates for requests of any length.
    #[must_use]
    pub fn flat(rates: TokenRates) -> Self {
        Self { base: rates, longer: Vec::new() }
    }

    /// The same, with other rates for requests with more input tokens than this; steps are added in ascending order.
    #[must_use]
    pub fn with_step(mut self, above: u64, rates: TokenRates) -> Self {
        self.longer.push((above, rates));
        self
    }

    /// Parses the part of a price table line after the model's name.
    pub(crate) fn parse(words: &str) -> Option<Self> {
        let mut parts = words.split(" >");
        let base = TokenRates::parse(parts.next()?)?;
        let longer = parts.map(|part| {
            let (above, rates) = part.split_once(' ')?;
            Some((above.parse().ok()?, TokenRates::parse(rates)?))
        });
        Some(Self { base, longer: longer.collect::<Option<_>>()? })
    }

    /// The cost of one request.
    #[must_use]
    pub fn cost(&self, usage: &TokenUsage) -> Money {
        self.rates(usage.read()).cost(usage)
    }

    /// The cost of usage summed over many requests, all of them short.
    #[must_use]
    pub fn base_cost(&self, usage: &TokenUsage) -> Money {
        self.base.cost(usage)
    }

    /// What `lost` input tokens of a request cost more than if they had been read from the cache, in nanodollars.
    #[must_use]
    pub fn miss_cost(&self, usage: &TokenUsage, lost: u64) -> u64 {
        let rates = self.rates(usage.read());
        let hour = lost.min(usage.cache_write_hour);
        let written = (lost - hour).min(usage.cache_write.saturating_sub(usage.cache_write_hour));
        let plain = lost - hour - written;
        let paid = Money::of(hour, rates.cache_write_hour)
            + Money::of(written, rates.cache_write)
            + Money::of(plain, rates.input);
        (paid - Money::of(lost, rates.cache_read)).nanodollars()
    }

    /// Where a request of this usage is above a step of the price: the number of input tokens at the step, and what the
    /// request costs more than at the rates below it, in nanodollars.
    #[must_use]
    pub fn step_cost(&self, usage: &TokenUsage) -> Option<(u64, u64)> {
        let at = self.longer.iter().rposition(|(above, _)| usage.read() > *above)?;
        let below = at.checked_sub(1).map_or(&self.base, |below| &self.longer[below].1);
        let more = self.cost(usage) - below.cost(usage);
        Some((self.longer[at].0, more.nanodollars()))
    }

    /// The rates for a request with this many input tokens.
    #[must_use]
    pub fn rates(&self, input: u64) -> &TokenRates {
        let longer = self.longer.iter().rev().find(|(above, _)| input > *above);
        longer.map_or(&self.base, |(_, rates)| rates)
    }
}

impl TokenRates {
    fn parse(words: &str) -> Option<Self> {
        let mut words = words.split(' ');
        let [input, output] = [words.next()?, words.next()?].map(per_million);
        let (input, output) = (input?, output?);
        let mut rates = Self {
            input,
            cache_read: input,
            cache_write: input,
            cache_write_hour: input,
            output,
            reasoning: output,
        };
        for word in words {
            let (kind, price) = word.split_at_checked(1)?;
            let price = per_million(price)?;
            match kind {
                "r" => rates.cache_read = price,
                "w" => (rates.cache_write, rates.cache_write_hour) = (price, price),
                "h" => rates.cache_write_hour = price,
                "t" => rates.reasoning = price,
                _ => return None,
            }
        }
        Some(rates)
    }

    /// The cost of a usage at these rates.
    #[must_use]
    pub fn cost(&self, usage: &TokenUsage) -> Money {
        self.reading(usage) + self.writing(usage.output, usage.reasoning)
    }

    /// The cost of the input.
    pub(crate) fn reading(&self, usage: &TokenUsage) -> Money {
        let hour = usage.cache_write_hour.min(usage.cache_write);
        Money::of(usage.input, self.input)
            + Money::of(usage.cache_read, self.cache_read)
            + Money::of(usage.cache_write - hour, self.cache_write)
            + Money::of(hour, self.cache_write_hour)
    }

    /// The cost of the output, of which `reasoning` tokens are hidden reasoning.
    pub(crate) fn writing(&self, output: u64, reasoning: u64) -> Money {
        let reasoning = reasoning.min(output);
        Money::of(output - reasoning, self.output) + Money::of(reasoning, self.reasoning)
    }
}

/// Parses a price in dollars per million tokens; returns attodollars per token.
#[must_use]
pub fn per_million(text: &str) -> Option<u64> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain(whole) || !is_plain(digits) || digits.len() > DIGITS || text.is_empty() {
        return None;
    }
    format!("{whole}{digits:0<DIGITS$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: TokenUsage = TokenUsage {
        input: 1_000,
        cache_read: 10_000,
        cache_write: 2_000,
        cache_write_hour: 500,
        output: 100,
        reasoning: 40,
    };

    fn check(price: &str, usage: TokenUsage, nanodollars: u64) {
        assert_eq!(Price::parse(price).unwrap().cost(&usage).nanodollars(), nanodollars, "{price}");
    }

    #[test]
    fn each_kind_of_token_has_its_rate() {
        // 1,000 × 3, 10,000 × 0.3, 1,500 × 3.75, 500 × 6, 60 × 15 and 40 × 20 millionths.
        check(
            "3 15 r.3 w3.75 h6 t20",
            USAGE,
            3_000_000 + 3_000_000 + 5_625_000 + 3_000_000 + 900_000 + 800_000,
        );
        check("3 15", USAGE, 39_000_000 + 1_500_000);
    }

    #[test]
    fn all_tokens_of_a_long_request_cost_more() {
        let price = "1 2 >13000 3 4 >20000 5 6";
        check(price, USAGE, 13_000_000 + 200_000);
        check(price, TokenUsage { input: 1_001, ..USAGE }, 3 * 13_001_000 + 400_000);
        check(price, TokenUsage { input: 10_000, ..USAGE }, 5 * 22_000_000 + 600_000);
    }

    #[test]
    fn a_step_costs_what_the_request_costs_more_than_below_it() {
        let price = Price::parse("1 2 >13000 3 4 >20000 5 6").unwrap();
        assert_eq!(price.step_cost(&USAGE), None);
        let one = TokenUsage { input: 1_001, ..USAGE };
        assert_eq!(price.step_cost(&one), Some((13_000, 2 * 13_001_000 + 200_000)));
        let two = TokenUsage { input: 10_000, ..USAGE };
        assert_eq!(price.step_cost(&two), Some((20_000, 2 * 22_000_000 + 200_000)));
        assert_eq!(Price::parse("1 2").unwrap().step_cost(&two), None);
    }

    #[test]
    fn what_is_no_price_is_not_read() {
        for text in
            ["", "1", "a b", "1 -2", "1 2 x3", "1 2 r", "1 2 >x 1 2", "1 2 >5 1", "+1 2", "1.0000000000001 2"]
        {
            assert_eq!(Price::parse(text), None, "{text}");
        }
    }

    #[test]
    fn hostile_counts_do_no_harm() {
        let most = u64::MAX;
        let usage = TokenUsage { input: most, cache_read: most, cache_write: most, output: most, ..USAGE };
        check("100000 100000", usage, u64::MAX);
    }
}

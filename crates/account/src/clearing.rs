//! The arithmetic of a clearing: what it saves at the prices of a model, and what fetching cleared results back costs.

use crate::price::TokenRates;
use crate::request::RequestRecord;

/// About how many tokens the words for a cleared result cost.
const WORDS_TOKENS: u64 = 80;

/// How many requests follow one after which results were cleared, at least.
const FURTHER_REQUESTS: u64 = 10;

/// The least number of tokens that a clearing has to remove.
const MIN_REMOVED: u64 = 1_000;

/// A clearing of a conversation whose prompt has to be written to the cache again in any case.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Clearing {
    /// Number of cleared results.
    pub results: u64,
    /// Tokens by which the request gets shorter.
    pub removed: u64,
    /// Tokens of the request after it.
    pub context: u64,
}

impl Clearing {
    /// One in this many cleared results is fetched back.
    pub const FETCHED: u32 = 10;

    /// About how many tokens a model writes to fetch a result.
    pub const CALL_TOKENS: u64 = 60;

    /// The clearing that makes a request with the record `after` of one with the record `before`.
    #[must_use]
    pub fn between(before: &RequestRecord, after: &RequestRecord) -> Self {
        let tokens = |record: &RequestRecord| record.total_tokens().after as u64;
        Self {
            results: after.cleared_results().saturating_sub(before.cleared_results()) as u64,
            removed: tokens(before).saturating_sub(tokens(after)),
            context: tokens(after),
        }
    }

    /// The least number of tokens that a single result has to cost, so that clearing it pays in a request of this many
    /// tokens and in those that follow.
    #[must_use]
    pub fn least(rates: &TokenRates, is_hour: bool, context: u64) -> u64 {
        let spared = rates.spare_rate(is_hour).max(1);
        let fetch = fetch_cost(rates, context);
        // What is saved, (size - words) × spared, is more than a tenth of what fetching costs, size × spared + fetch.
        let fetched = u64::from(Self::FETCHED);
        (WORDS_TOKENS * fetched + fetch / spared) / (fetched - 1) + 1
    }

    /// True when the clearing saves more in the very next request than fetching back one result in ten costs: nobody
    /// knows how many requests follow.
    #[must_use]
    pub fn pays(&self, rates: &TokenRates, is_hour: bool) -> bool {
        let written = u128::from(rates.write_rate(is_hour));
        let [results, removed, fetch] =
            [self.results, self.removed, fetch_cost(rates, self.context)].map(u128::from);
        let cleared = removed + results * u128::from(WORDS_TOKENS);
        let fetched = (cleared * written).saturating_add(results.saturating_mul(fetch));
        self.removed >= MIN_REMOVED && removed * written * u128::from(Self::FETCHED) > fetched
    }
}

/// What one fetch costs besides the text: the context is read once more, and the call is written.
fn fetch_cost(rates: &TokenRates, context: u64) -> u64 {
    context.saturating_mul(rates.cache_read).saturating_add(Clearing::CALL_TOKENS * rates.output)
}

impl TokenRates {
    /// What a token costs that is written to the cache.
    fn write_rate(&self, is_hour: bool) -> u64 {
        if is_hour { self.cache_write_hour } else { self.cache_write }
    }

    /// What a token costs that is written to the cache, and read in the requests that follow.
    fn spare_rate(&self, is_hour: bool) -> u64 {
        self.write_rate(is_hour).saturating_add(self.cache_read.saturating_mul(FURTHER_REQUESTS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price::Price;
    use crate::prices::PriceTable;

    fn rates(model: &str) -> TokenRates {
        *PriceTable::known().of(model).unwrap().rates(0)
    }

    /// At 3.75 dollars to write, 0.3 to read and 15 for output: a token that is cleared saves 3.75 + 10 × 0.3 = 6.75, and a
    /// fetch in a context of 100,000 tokens costs 30,000 + 900.
    #[test]
    fn a_result_pays_from_the_size_at_which_fetching_one_in_ten_costs_less() {
        let rates = rates("claude-sonnet-4-5");
        let least = Clearing::least(&rates, false, 100_000);
        let gain = |size: u64| {
            let fetch = 100_000 * rates.cache_read + Clearing::CALL_TOKENS * rates.output;
            let saved = (size - WORDS_TOKENS) * rates.spare_rate(false);
            i128::from(saved * 10) - i128::from(size * rates.spare_rate(false) + fetch)
        };
        assert!(gain(least) > 0 && gain(least - 2) <= 0, "{least}");
        assert!((580..620).contains(&least), "{least}");
        assert!(
            Clearing::least(&rates, true, 100_000) < least,
            "what is kept for an hour costs more to write"
        );
        assert!(Clearing::least(&rates, false, 200_000) > least);
    }

    #[test]
    fn a_clearing_pays_if_it_saves_more_than_is_fetched() {
        let rates = rates("claude-sonnet-4-5");
        let clearing = |results, removed| Clearing { results, removed, context: 50_000 };
        assert!(clearing(10, 29_000).pays(&rates, false));
        assert!(!clearing(2, 999).pays(&rates, false), "too little to bother");
        // Ten results of 330 tokens: 2,500 × 3.75 = 9,375, and one is fetched for 330 × 3.75 + 15,000 + 900.
        assert!(!clearing(10, 2_500).pays(&rates, false));
        assert!(!Clearing::default().pays(&rates, false));
        assert!(!clearing(u64::MAX, 5_000).pays(&rates, true), "no number overflows");
    }

    /// A model without cache prices pays the same for all input, so what is fetched costs all of the context.
    #[test]
    fn prices_without_a_cache_ask_for_more() {
        let flat = *Price::parse("3 15").unwrap().rates(0);
        assert!(
            Clearing::least(&flat, false, 100_000)
                > Clearing::least(&rates("claude-sonnet-4-5"), false, 100_000)
        );
        assert!(Clearing::least(&TokenRates::default(), false, u64::MAX) > 0);
    }
}

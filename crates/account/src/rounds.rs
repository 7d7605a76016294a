//! Computes what a request cost over all its rounds, and what it would have cost without us.

use crate::cost::RequestCost;
use crate::money::Money;
use crate::price::{Price, TokenRates};
use crate::tokens::TokenChange;
use crate::usage::TokenUsage;

/// The provider's usage in each round of a request. Rounds after the first fetch back omitted text.
#[derive(Clone, Debug, Default)]
pub struct UsageRounds(pub Vec<TokenUsage>);

impl UsageRounds {
    /// The usage of all rounds together.
    #[must_use]
    pub fn total(&self) -> TokenUsage {
        sum(&self.0)
    }

    /// The usage of the rounds after the first, which we caused.
    #[must_use]
    pub fn further(&self) -> TokenUsage {
        sum(self.0.get(1..).unwrap_or_default())
    }

    /// The cost at this price. `request` has our own token counts of the request before and after compression.
    ///
    /// `paid` is the provider's usage times the price. `without` is the cost of the first round with the output of the
    /// last one, plus the cost of the tokens that we removed. Their number is our count, scaled by the ratio of the
    /// provider's count of this request to ours. Each costs what an input token of this request costs on average,
    /// cached or not, at the rates for a request of that length.
    #[must_use]
    pub fn cost(&self, price: &Price, request: TokenChange) -> RequestCost {
        let paid: Money = self.0.iter().map(|round| price.cost(round)).sum();
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else {
            return RequestCost::default();
        };
        let rates = price.rates(length(first.read(), request));
        let without = rates.reading(first)
            + taken_out(rates, first, request)
            + rates.writing(last.output, last.reasoning);
        RequestCost { paid: paid.nanodollars(), without: without.nanodollars() }
    }

    /// The cost that a request would have had if it had been sent compressed: the same output, minus the cost of the
    /// tokens that compression would have removed. Each of these costs what an input token of this request costs on
    /// average.
    #[must_use]
    pub fn instead(&self, price: &Price, request: TokenChange) -> u64 {
        let turned = TokenChange { before: request.after, after: request.before };
        self.cost(price, turned).without
    }
}

fn sum(rounds: &[TokenUsage]) -> TokenUsage {
    let mut all = TokenUsage::default();
    for usage in rounds {
        all += *usage;
    }
    all
}

/// The highest plausible ratio of a provider's token count to ours. If the ratio is higher, the provider has read more
/// than this request, because it stores the rest of the conversation.
const MAX_SCALE: (i128, i128) = (3, 2);

/// Our count of the removed tokens, and the factor and divisor that convert our count to the provider's.
fn scale(read: u64, request: TokenChange) -> Option<(i128, i128, i128)> {
    let wide = |count: usize| i128::try_from(count).unwrap_or_default();
    let (before, after) = (wide(request.before), wide(request.after));
    let scaled = i128::from(read).min(after * MAX_SCALE.0 / MAX_SCALE.1);
    (read > 0 && after > 0).then_some((before - after, scaled, after))
}

/// The input tokens that the request would have had without us, by the provider's count.
fn length(read: u64, request: TokenChange) -> u64 {
    let Some((removed, scaled, after)) = scale(read, request) else { return read };
    let length = removed.checked_mul(scaled).map(|it| it / after + i128::from(read));
    u64::try_from(length.unwrap_or_default().max(0)).unwrap_or(u64::MAX)
}

/// The cost of reading the removed tokens; negative if tokens were added.
fn taken_out(rates: &TokenRates, first: &TokenUsage, request: TokenChange) -> Money {
    let read = first.read();
    let Some((removed, scaled, after)) = scale(read, request) else { return Money::default() };
    let cost = rates.reading(first).in_attodollars();
    let product = removed.checked_mul(scaled).and_then(|it| it.checked_mul(cost)).unwrap_or_default();
    Money::attodollars(product / (after * i128::from(read)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::PriceTable;

    /// Dollars per million tokens: 3 input, 0.3 cache read, 3.75 cache write, 15 output.
    const MODEL: &str = "claude-sonnet-4-5";

    fn tokens(input: u64, cache_read: u64, cache_write: u64, output: u64) -> TokenUsage {
        TokenUsage { input, cache_read, cache_write, output, ..TokenUsage::default() }
    }

    fn check(rounds: &UsageRounds, (before, after): (usize, usize), (paid, without): (u64, u64)) {
        let table = PriceTable::known();
        let cost = rounds.cost(&table.of(MODEL).unwrap(), TokenChange { before, after });
        assert_eq!((cost.paid, cost.without), (paid, without));
    }

    fn one(all: TokenUsage) -> UsageRounds {
        UsageRounds(vec![all])
    }

    #[test]
    fn paid_is_counts_by_prices() {
        // 1000 × 3,000 + 2000 × 300 + 400 × 3,750 + 100 × 15,000 nanodollars.
        let all = tokens(1000, 2000, 400, 100);
        check(&one(all), (5000, 5000), (6_600_000, 6_600_000));
        check(&one(all), (0, 0), (6_600_000, 6_600_000));
        check(&one(tokens(0, 0, 0, 100)), (500, 400), (1_500_000, 1_500_000));
        check(&one(TokenUsage::default()), (500, 400), (0, 0));
    }

    /// Removed tokens are priced at this request's average input price, in the provider's tokens.
    #[test]
    fn what_was_taken_out_costs_what_this_request_cost_to_read() {
        // 1000 tokens by our count are 1200 by the provider's, so the 500 removed are 600 by theirs, at 3,000 each.
        check(&one(tokens(1200, 0, 0, 0)), (1500, 1000), (3_600_000, 5_400_000));
        // All input is read from the cache: a tenth of that cost.
        check(&one(tokens(0, 1200, 0, 0)), (1500, 1000), (360_000, 540_000));
        // Half of the input is read from the cache.
        check(&one(tokens(600, 600, 0, 0)), (1500, 1000), (1_980_000, 2_970_000));
        // We added 100 tokens: 120 by the provider's count.
        check(&one(tokens(1200, 0, 0, 0)), (900, 1000), (3_600_000, 3_240_000));
    }

    /// If tokens had been removed, the request would have cost less by the cost of reading them.
    #[test]
    fn what_would_have_been_taken_out_costs_less() {
        let table = PriceTable::known();
        let request = TokenChange { before: 1000, after: 500 };
        // 1000 tokens by our count are 1200 by the provider's, so the request would have had 600 fewer by theirs, at
        // 3,000 each.
        let instead = one(tokens(1200, 0, 0, 0)).instead(&table.of(MODEL).unwrap(), request);
        assert_eq!(instead, 1_800_000);
    }

    #[test]
    fn a_conversation_that_is_elsewhere_does_not_blow_it_up() {
        // The provider's count is a hundred times ours; the ratio is limited to 1.5.
        check(&one(tokens(100_000, 0, 0, 0)), (1100, 1000), (300_000_000, 300_450_000));
    }

    /// We cause the further rounds: without us there would be only the first round, with the output of the last one.
    #[test]
    fn further_rounds_are_charged_to_us() {
        let rounds = UsageRounds(vec![tokens(1000, 0, 0, 50), tokens(300, 1000, 0, 200)]);
        check(&rounds, (1000, 1000), (3_900_000 + 300_000 + 3_750_000, 3_000_000 + 3_000_000));
    }

    #[test]
    fn hostile_counts_do_no_harm() {
        let most = tokens(u64::MAX, u64::MAX, u64::MAX, u64::MAX);
        let table = PriceTable::known();
        let change = TokenChange { before: usize::MAX, after: 1 };
        let cost = one(most).cost(&table.of(MODEL).unwrap(), change);
        assert_eq!(cost.paid, u64::MAX);
    }

    /// Compression kept the request below the length at which higher rates apply; without us, the request would have
    /// exceeded that length.
    #[test]
    fn what_was_taken_out_may_have_made_a_request_dear() {
        let price = Price::parse("1 1 >1000 5 5").unwrap();
        let rounds = one(tokens(900, 0, 0, 0));
        let cost = rounds.cost(&price, TokenChange { before: 1200, after: 900 });
        assert_eq!((cost.paid, cost.without), (900_000, 1200 * 5_000));
        // Each round is priced as a request of its own: two short rounds are not one long request.
        let twice = UsageRounds(vec![tokens(900, 0, 0, 0); 2]);
        assert_eq!(twice.cost(&price, TokenChange::unchanged(900)).paid, 1_800_000);
        assert_eq!(rounds.instead(&price, TokenChange { before: 900, after: 450 }), 450_000);
    }
}

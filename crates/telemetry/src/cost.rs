//! What a request cost, and what it would have cost without us.

use crate::prices::ModelPrice;
use tersely_account::{RequestCost, TokenChange, TokenUsage};

/// What a provider counted of one request.
#[derive(Clone, Copy, Debug, Default)]
pub struct BilledRounds {
    /// In the first round.
    pub first: TokenUsage,
    /// In all rounds.
    pub all: TokenUsage,
    /// The output of the last round, which is the answer.
    pub answer: u64,
}

impl BilledRounds {
    /// What they come to at this price, for a request with so many tokens before and after by our own count.
    ///
    /// Paid is the provider's counts by the price. Without us it is the first round alone with the last one's answer, and
    /// with what was taken out of the request: so many tokens by our count, scaled as the provider counts this request
    /// against us, each at what a token of this request cost to read, be it from a cache or not.
    #[must_use]
    pub fn cost(&self, price: &ModelPrice, request: TokenChange) -> RequestCost {
        let paid = price.reading(&self.all) + price.writing(self.all.output);
        let reading = price.reading(&self.first);
        let without = reading.saturating_add_signed(taken_out(self.first.read(), reading, request))
            + price.writing(self.answer);
        RequestCost { paid: rounded(paid), without: rounded(without) }
    }
}

impl BilledRounds {
    /// What they would have come to, had the request had the tokens after instead of those before: the same answer, and
    /// what would have been taken out read at what a token of this request cost to read.
    #[must_use]
    pub fn instead(&self, price: &ModelPrice, request: TokenChange) -> u64 {
        let turned = TokenChange { before: request.after, after: request.before };
        self.cost(price, turned).without
    }
}

/// How far a provider's count of a request is believed to be above ours. Where it is more, the request is not all that was
/// read: the rest of its conversation is with the provider.
const MOST: (i128, i128) = (3, 2);

/// What it would have cost to read what was taken out; less than nothing where something was added.
fn taken_out(read: u64, cost: u128, request: TokenChange) -> i128 {
    let wide = |count: usize| i128::try_from(count).unwrap_or_default();
    let (before, after) = (wide(request.before), wide(request.after));
    let read = i128::from(read);
    if read == 0 || after == 0 {
        return 0;
    }
    let scaled = read.min(after * MOST.0 / MOST.1);
    let cost = i128::try_from(cost).unwrap_or(i128::MAX);
    (before - after).checked_mul(scaled).and_then(|it| it.checked_mul(cost)).unwrap_or_default()
        / (after * read)
}

/// Prices are for thousands of tokens.
fn rounded(cost: u128) -> u64 {
    u64::try_from((cost + 500) / 1000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::PriceTable;

    /// Dollars for a million tokens: 3, 0.3, 3.75, 15.
    const MODEL: &str = "claude-sonnet-4-5";

    fn tokens(input: u64, cache_read: u64, cache_write: u64, output: u64) -> TokenUsage {
        TokenUsage { input, cache_read, cache_write, output, reasoning: 0 }
    }

    fn check(rounds: BilledRounds, (before, after): (usize, usize), (paid, without): (u64, u64)) {
        let table = PriceTable::known();
        let cost = rounds.cost(table.of(MODEL).unwrap(), TokenChange { before, after });
        assert_eq!((cost.paid, cost.without), (paid, without));
    }

    fn one(all: TokenUsage) -> BilledRounds {
        BilledRounds { first: all, all, answer: all.output }
    }

    #[test]
    fn paid_is_counts_by_prices() {
        // 1000 × 3,000 + 2000 × 300 + 400 × 3,750 + 100 × 15,000 billionths of a dollar.
        let all = tokens(1000, 2000, 400, 100);
        check(one(all), (5000, 5000), (6_600_000, 6_600_000));
        check(one(all), (0, 0), (6_600_000, 6_600_000));
        check(one(tokens(0, 0, 0, 100)), (500, 400), (1_500_000, 1_500_000));
        check(one(TokenUsage::default()), (500, 400), (0, 0));
    }

    /// What was taken out is read at this request's mean price, in the provider's tokens.
    #[test]
    fn what_was_taken_out_costs_what_this_request_cost_to_read() {
        // 1000 of ours are 1200 of theirs; 500 of ours out are 600 of theirs, at 3,000 each.
        check(one(tokens(1200, 0, 0, 0)), (1500, 1000), (3_600_000, 5_400_000));
        // All from a cache: a tenth of that.
        check(one(tokens(0, 1200, 0, 0)), (1500, 1000), (360_000, 540_000));
        // Half and half.
        check(one(tokens(600, 600, 0, 0)), (1500, 1000), (1_980_000, 2_970_000));
        // We added 100 tokens: 120 of theirs.
        check(one(tokens(1200, 0, 0, 0)), (900, 1000), (3_600_000, 3_240_000));
    }

    /// What was not taken out would have cost less by what those tokens cost to read.
    #[test]
    fn what_would_have_been_taken_out_costs_less() {
        let table = PriceTable::known();
        let request = TokenChange { before: 1000, after: 500 };
        // 1000 of ours are 1200 of theirs; 600 of theirs less, at 3,000 each.
        let instead = one(tokens(1200, 0, 0, 0)).instead(table.of(MODEL).unwrap(), request);
        assert_eq!(instead, 1_800_000);
    }

    #[test]
    fn a_conversation_that_is_elsewhere_does_not_blow_it_up() {
        // Theirs are a hundred times ours, and count for one and a half.
        check(one(tokens(100_000, 0, 0, 0)), (1100, 1000), (300_000_000, 300_450_000));
    }

    /// Further rounds are ours: without us there would be the first, with the answer of the last.
    #[test]
    fn further_rounds_are_charged_to_us() {
        let first = tokens(1000, 0, 0, 50);
        let all = tokens(1300, 1000, 0, 250);
        let rounds = BilledRounds { first, all, answer: 200 };
        check(rounds, (1000, 1000), (3_900_000 + 300_000 + 3_750_000, 3_000_000 + 3_000_000));
    }

    #[test]
    fn hostile_counts_do_no_harm() {
        let most = tokens(u64::MAX, u64::MAX, u64::MAX, u64::MAX);
        let table = PriceTable::known();
        let change = TokenChange { before: usize::MAX, after: 1 };
        let cost = one(most).cost(table.of(MODEL).unwrap(), change);
        assert_eq!(cost.paid, u64::MAX);
    }
}

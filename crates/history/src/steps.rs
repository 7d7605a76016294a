//! Adds up what requests cost more because they are longer than a step of their model's price.

use tersely_account::{PriceTable, TokenUsage};

use crate::error::HistoryError;
use crate::read::{HistoryView, count};

/// The shortest request, in input tokens, that is looked at. No step of a current model is lower.
const MIN_TOKENS: i64 = 32_000;

/// The maximum number of requests that are looked at, the latest first.
const MAX_REQUESTS: u32 = 20_000;

/// The requests above a step of their model's price.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StepTotal {
    /// The number of these requests.
    pub requests: u64,
    /// What they cost more than at the rates below the step, in nanodollars.
    pub cost: u64,
    /// The lowest of these steps, in input tokens.
    pub lowest: u64,
}

impl HistoryView {
    /// What the recorded requests cost more because they are longer than a step of the price.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn steps(&self, prices: &PriceTable) -> Result<StepTotal, HistoryError> {
        let text = "SELECT model, input, cache_read, cache_write, output FROM requests
             WHERE model IS NOT NULL AND input + cache_read + cache_write > ?1 ORDER BY id DESC LIMIT ?2";
        self.with(|connection| {
            let mut found = connection.prepare_cached(text)?;
            let rows = found.query_map((MIN_TOKENS, MAX_REQUESTS), |row| {
                let usage = TokenUsage {
                    input: count(row, 1)?,
                    cache_read: count(row, 2)?,
                    cache_write: count(row, 3)?,
                    output: count(row, 4)?,
                    ..TokenUsage::default()
                };
                Ok((row.get::<_, String>(0)?, usage))
            })?;
            let mut total = StepTotal::default();
            for row in rows {
                let (model, usage) = row?;
                if let Some((above, more)) = prices.of(&model).and_then(|price| price.step_cost(&usage)) {
                    let lowest = if total.requests == 0 { above } else { total.lowest.min(above) };
                    let (requests, cost) = (total.requests + 1, total.cost.saturating_add(more));
                    total = StepTotal { requests, cost, lowest };
                }
            }
            Ok(total)
        })
    }
}

//! The content of a report, for the terminal, the page and JSON.

use serde_json::Value;
use tersely_account::Price;

use crate::tally::{ArmTally, EvalTally};

/// The content of a report.
pub(super) struct EvalWords<'w> {
    /// Its sums.
    pub(super) tally: &'w EvalTally,
    /// The settings of the run.
    pub(super) settings: &'w Value,
    /// What its model costs, if that is known.
    pub(super) price: Option<Price>,
    /// Where its answers are.
    pub(super) file: String,
}

impl EvalWords<'_> {
    /// A setting of the run.
    pub(super) fn word(&self, name: &str) -> &str {
        self.settings[name].as_str().unwrap_or_default()
    }

    /// What an arm cost.
    pub(super) fn cost(&self, arm: &ArmTally) -> String {
        self.price
            .as_ref()
            .map_or_else(|| "?".to_owned(), |price| format!("${:.4}", price.base_cost(&arm.tokens).dollars()))
    }
}

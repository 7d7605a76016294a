//! The content of a report, shared by the terminal, the page and JSON.

use serde_json::Value;
use tersely_account::Price;

use crate::tally::{ArmTally, EvalTally};

/// The content of a report.
pub(super) struct EvalWords<'w> {
    /// The sums of the run.
    pub(super) tally: &'w EvalTally,
    /// The settings of the run.
    pub(super) settings: &'w Value,
    /// The price of the model, if it is known.
    pub(super) price: Option<Price>,
    /// The log file with the answers.
    pub(super) file: String,
}

impl EvalWords<'_> {
    /// The value of a setting of the run.
    pub(super) fn word(&self, name: &str) -> &str {
        self.settings[name].as_str().unwrap_or_default()
    }

    /// The cost of an arm.
    pub(super) fn cost(&self, arm: &ArmTally) -> String {
        self.price
            .as_ref()
            .map_or_else(|| "?".to_owned(), |price| format!("${:.4}", price.base_cost(&arm.tokens).dollars()))
    }
}

//! What is said of a run, on a terminal, a page or to a script.

use serde_json::Value;
use tersely_audit::DollarPrice;

use super::tally::EvalTally;

/// What is said of a run.
pub(super) struct EvalWords<'w> {
    /// What it comes to.
    pub(super) tally: &'w EvalTally,
    /// The settings of the run.
    pub(super) settings: &'w Value,
    /// What its model costs, if that is known.
    pub(super) price: Option<DollarPrice>,
    /// Where its answers are.
    pub(super) file: String,
}

//! The text that is sent for one result, and its report.

use crate::report::Report;

/// The text that is sent for one result, and its report, as the memo stores them.
#[derive(Clone, Default)]
pub(crate) struct FilledSlot {
    /// The text that replaces the result; `None` when the result stays unchanged.
    pub(crate) sent: Option<String>,
    /// The account of the result, with an id that stays the same in later requests.
    pub(crate) report: Report,
}

//! What is sent for one result.

use crate::report::Report;

/// What is sent for one result, as the memo keeps it.
#[derive(Clone, Default)]
pub(crate) struct FilledSlot {
    /// The text that replaces it; `None` when it stays unchanged.
    pub(crate) sent: Option<String>,
    /// Its account, under a name that is the same in later requests.
    pub(crate) report: Report,
}

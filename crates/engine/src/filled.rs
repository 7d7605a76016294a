//! What became of one result.

use crate::report::Report;

/// What became of one result, as it may be remembered.
#[derive(Clone, Default)]
pub(crate) struct Filled {
    /// What is sent instead; nothing when it goes on as it came.
    pub(crate) sent: Option<String>,
    /// What it cost is in here under a name that it keeps in later requests.
    pub(crate) report: Report,
}

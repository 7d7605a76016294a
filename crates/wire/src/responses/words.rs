//! Says what the Responses API calls its counts and its errors.

pub(super) use crate::chat::words::error;
use crate::hidden::tally::Tally;
use crate::hidden::watch::Usage;

/// The counts in our words.
pub(super) fn usage(tally: &Tally) -> Usage {
    tally.usage("input_tokens", "output_tokens")
}

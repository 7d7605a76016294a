//! Says what the Responses API calls its counts and its errors.

pub(super) use crate::chat::words::error;
use crate::hidden::tally::UsageTally;
use crate::hidden::watch::TokenUsage;

/// The counts in our words. What was cached counts as part of the input.
pub(super) fn usage(tally: &UsageTally) -> TokenUsage {
    let count = |pointer| tally.count(pointer).unwrap_or_default();
    let cached = count("/input_tokens_details/cached_tokens");
    let input = count("/input_tokens").saturating_sub(cached);
    TokenUsage { input, cached, written: 0, output: count("/output_tokens") }
}

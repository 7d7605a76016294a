//! Says what Converse calls its counts and its errors.

use crate::hidden::tally::UsageTally;
use crate::hidden::watch::{RoundFailure, TokenUsage};
use crate::json::text;

/// What the provider calls its counts.
pub(super) fn no_tokens() -> UsageTally {
    UsageTally::of([
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
    ])
}

/// The counts in our words.
pub(super) fn usage(tally: &UsageTally) -> TokenUsage {
    let count = |pointer| tally.count(pointer).unwrap_or_default();
    TokenUsage {
        input: count("/inputTokens"),
        cached: count("/cacheReadInputTokens"),
        written: count("/cacheWriteInputTokens"),
        output: count("/outputTokens"),
    }
}

/// The provider's error for these words.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    format!(r#"{{"message":{}}}"#, text::quoted(failure.message))
}

//! Says what Gemini calls its counts and its errors.

use crate::hidden::tally::UsageTally;
use crate::hidden::watch::{RoundFailure, TokenUsage};
use crate::json::text;

/// What the provider calls its counts.
pub(super) fn no_tokens() -> UsageTally {
    UsageTally::of([
        "promptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "toolUsePromptTokenCount",
        "totalTokenCount",
    ])
}

/// The counts in our words. What was cached counts as part of the prompt.
pub(super) fn usage(tally: &UsageTally) -> TokenUsage {
    let count = |pointer| tally.count(pointer).unwrap_or_default();
    let (cached, results) = (count("/cachedContentTokenCount"), count("/toolUsePromptTokenCount"));
    let input = count("/promptTokenCount").saturating_sub(cached).saturating_add(results);
    let output = count("/candidatesTokenCount").saturating_add(count("/thoughtsTokenCount"));
    TokenUsage { input, cached, written: 0, output }
}

/// The provider's error for these words.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    let (message, status) =
        (text::quoted(failure.message), text::quoted(failure.kind.unwrap_or("UNAVAILABLE")));
    format!(r#"{{"error":{{"code":{},"message":{message},"status":{status}}}}}"#, failure.status)
}

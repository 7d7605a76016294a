//! Says what Gemini calls its counts and its errors.

use crate::hidden::tally::Tally;
use crate::hidden::watch::{Failure, Usage};
use crate::json::text::quoted;

/// What the provider calls its counts.
pub(super) fn no_tokens() -> Tally {
    Tally::of([
        "promptTokenCount",
        "cachedContentTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
        "toolUsePromptTokenCount",
        "totalTokenCount",
    ])
}

/// The counts in our words. What was cached counts as part of the prompt.
pub(super) fn usage(tally: &Tally) -> Usage {
    let count = |pointer| tally.count(pointer).unwrap_or_default();
    let (cached, results) = (count("/cachedContentTokenCount"), count("/toolUsePromptTokenCount"));
    let input = count("/promptTokenCount").saturating_sub(cached).saturating_add(results);
    let output = count("/candidatesTokenCount").saturating_add(count("/thoughtsTokenCount"));
    Usage { input, cached, written: 0, output }
}

/// The provider's error for these words.
pub(super) fn error(failure: Failure<'_>) -> String {
    let (message, status) = (quoted(failure.message), quoted(failure.kind.unwrap_or("UNAVAILABLE")));
    format!(r#"{{"error":{{"code":{},"message":{message},"status":{status}}}}}"#, failure.status)
}

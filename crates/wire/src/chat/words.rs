//! Says what Chat Completions calls its counts and its errors.

use serde_json::json;

use crate::hidden::tally::UsageTally;
use crate::hidden::watch::{RoundFailure, TokenUsage};

/// The counts in our words. What was cached counts as part of the prompt.
pub(super) fn usage(tally: &UsageTally) -> TokenUsage {
    let cached = tally.count("/prompt_tokens_details/cached_tokens");
    let cached = cached.or_else(|| tally.count("/prompt_cache_hit_tokens")).unwrap_or_default();
    let input = tally.count("/prompt_tokens").unwrap_or_default().saturating_sub(cached);
    TokenUsage { input, cached, written: 0, output: tally.count("/completion_tokens").unwrap_or_default() }
}

/// The provider's error for these words.
pub(crate) fn error(failure: RoundFailure<'_>) -> String {
    let kind = failure.kind.unwrap_or("server_error");
    json!({"error": {"message": failure.message, "type": kind, "param": null, "code": null}}).to_string()
}

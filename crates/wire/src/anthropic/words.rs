//! Says what Anthropic calls its counts and its errors.

use crate::hidden::tally::UsageTally;
use crate::hidden::watch::{RoundFailure, TokenUsage};
use crate::json::text;

/// What the provider calls its counts.
pub(super) fn no_tokens() -> UsageTally {
    UsageTally::of([
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "output_tokens",
    ])
}

/// The counts in our words.
pub(super) fn usage(tally: &UsageTally) -> TokenUsage {
    let count = |pointer| tally.count(pointer).unwrap_or_default();
    TokenUsage {
        input: count("/input_tokens"),
        cached: count("/cache_read_input_tokens"),
        written: count("/cache_creation_input_tokens"),
        output: count("/output_tokens"),
    }
}

/// The provider's error for these words.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    let (kind, message) = (text::quoted(failure.kind.unwrap_or("api_error")), text::quoted(failure.message));
    format!(r#"{{"type":"error","error":{{"type":{kind},"message":{message}}}}}"#)
}

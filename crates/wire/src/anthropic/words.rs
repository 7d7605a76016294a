//! Says what Anthropic calls its counts and its errors.

use crate::hidden::tally::Tally;
use crate::hidden::watch::{Failure, Usage};
use crate::json::text::quoted;

/// What the provider calls its counts.
pub(super) fn no_tokens() -> Tally {
    Tally::of(["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"])
}

/// The counts in our words.
pub(super) fn usage(tally: &Tally) -> Usage {
    let count = |pointer| tally.count(pointer).unwrap_or_default();
    Usage {
        input: count("/input_tokens"),
        cached: count("/cache_read_input_tokens"),
        written: count("/cache_creation_input_tokens"),
        output: count("/output_tokens"),
    }
}

/// The provider's error for these words.
pub(super) fn error(failure: Failure<'_>) -> String {
    let (kind, message) = (quoted(failure.kind.unwrap_or("api_error")), quoted(failure.message));
    format!(r#"{{"type":"error","error":{{"type":{kind},"message":{message}}}}}"#)
}

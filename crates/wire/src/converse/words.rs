//! Says what Converse calls its counts and its errors.

use tersely_account::TokenUsage;

use crate::hidden::tally::UsageTally;
use crate::protocol::failure::RoundFailure;
use crate::protocol::json::text;
use crate::usage::words::UsageWords;

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
pub(super) static COUNTS: UsageWords = UsageWords {
    places: &[&["usage"]],
    counts: &[INPUT, READ, WRITTEN, OUTPUT],
    read: |counts| TokenUsage {
        input: counts.count(INPUT),
        cache_read: counts.count(READ),
        cache_write: counts.count(WRITTEN),
        cache_write_hour: 0,
        output: counts.count(OUTPUT),
        reasoning: 0,
    },
};

const INPUT: &str = "/inputTokens";
const READ: &str = "/cacheReadInputTokens";
const WRITTEN: &str = "/cacheWriteInputTokens";
const OUTPUT: &str = "/outputTokens";

/// The provider's error for these words.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    format!(r#"{{"message":{}}}"#, text::quoted(failure.message))
}

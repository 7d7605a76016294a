//! Defines the names of Converse's token counts, and the format of its errors.

use tersely_json::string;

use tersely_account::TokenUsage;

use crate::hidden::tally::UsageTally;
use crate::protocol::failure::RoundFailure;
use crate::usage::words::UsageWords;

/// An empty tally with the names of the provider's counts, in order.
pub(super) fn no_tokens() -> UsageTally {
    UsageTally::of([
        "inputTokens",
        "outputTokens",
        "totalTokens",
        "cacheReadInputTokens",
        "cacheWriteInputTokens",
    ])
}

/// Where responses contain the token counts, and how they map to our counts.
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

/// Writes the provider's error object.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    format!(r#"{{"message":{}}}"#, string::quote(failure.message))
}

//! Says what Converse calls its counts and its errors.

use tersely_json::string;

use crate::hidden::tally::UsageTally;
use crate::protocol::failure::RoundFailure;
use crate::usage::words::{TokenUsage, UsageWords};

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
        cached: counts.count(READ),
        written: counts.count(WRITTEN),
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
    format!(r#"{{"message":{}}}"#, string::quote(failure.message))
}

//! Says what Gemini calls its counts and its errors.

use tersely_account::TokenUsage;

use crate::hidden::tally::UsageTally;
use crate::protocol::failure::RoundFailure;
use crate::protocol::json::text;
use crate::usage::words::UsageWords;

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

/// The counts in our words. Cached tokens count as part of the prompt; a client that is signed in gets all of it wrapped.
pub(super) static COUNTS: UsageWords = UsageWords {
    places: &[&["usageMetadata"], &["response", "usageMetadata"]],
    counts: &[INPUT, READ, RESULTS, OUTPUT, REASONING],
    read: |counts| {
        let (cache_read, reasoning) = (counts.count(READ), counts.count(REASONING));
        TokenUsage {
            input: counts.count(INPUT).saturating_sub(cache_read).saturating_add(counts.count(RESULTS)),
            cache_read,
            cache_write: 0,
            cache_write_hour: 0,
            output: counts.count(OUTPUT).saturating_add(reasoning),
            reasoning,
        }
    },
};

const INPUT: &str = "/promptTokenCount";
const READ: &str = "/cachedContentTokenCount";
const RESULTS: &str = "/toolUsePromptTokenCount";
const OUTPUT: &str = "/candidatesTokenCount";
const REASONING: &str = "/thoughtsTokenCount";

/// The provider's error for these words.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    let (message, status) =
        (text::quoted(failure.message), text::quoted(failure.kind.unwrap_or("UNAVAILABLE")));
    format!(r#"{{"error":{{"code":{},"message":{message},"status":{status}}}}}"#, failure.status)
}

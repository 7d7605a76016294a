//! Defines the names of Gemini's token counts, and the format of its errors.

use tersely_json::string;

use tersely_account::TokenUsage;

use crate::hidden::tally::UsageTally;
use crate::protocol::failure::RoundFailure;
use crate::usage::words::UsageWords;

/// An empty tally with the names of the provider's counts, in order.
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

/// Where responses contain the token counts, and how they map to our counts. The prompt's count includes cached
/// tokens. Signed-in clients get a wrapped response.
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

/// Writes the provider's error object.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    let (message, status) =
        (string::quote(failure.message), string::quote(failure.kind.unwrap_or("UNAVAILABLE")));
    format!(r#"{{"error":{{"code":{},"message":{message},"status":{status}}}}}"#, failure.status)
}

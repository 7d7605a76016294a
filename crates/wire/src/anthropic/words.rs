//! Defines the names of Anthropic's token counts, and the format of its errors.

use tersely_json::string;

use tersely_account::TokenUsage;

use crate::hidden::tally::UsageTally;
use crate::protocol::failure::RoundFailure;
use crate::usage::diagnosis::ANTHROPIC;
use crate::usage::words::UsageWords;

/// An empty tally with the names of the provider's counts, in order.
pub(super) fn no_tokens() -> UsageTally {
    UsageTally::of([
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "output_tokens",
    ])
}

/// Where responses contain the token counts, and how they map to our counts.
pub(crate) static COUNTS: UsageWords = UsageWords {
    places: &[&["usage"], &["message", "usage"], &[ANTHROPIC], &["message", ANTHROPIC]],
    counts: &[INPUT, READ, WRITTEN, WRITTEN_HOUR, OUTPUT],
    read: |counts| TokenUsage {
        input: counts.count(INPUT),
        cache_read: counts.count(READ),
        cache_write: counts.count(WRITTEN),
        cache_write_hour: counts.count(WRITTEN_HOUR),
        output: counts.count(OUTPUT),
        reasoning: 0,
    },
};

const INPUT: &str = "/input_tokens";
const READ: &str = "/cache_read_input_tokens";
const WRITTEN: &str = "/cache_creation_input_tokens";
const WRITTEN_HOUR: &str = "/cache_creation/ephemeral_1h_input_tokens";
const OUTPUT: &str = "/output_tokens";

/// Writes the provider's error object.
pub(super) fn error(failure: RoundFailure<'_>) -> String {
    let (kind, message) =
        (string::quote(failure.kind.unwrap_or("api_error")), string::quote(failure.message));
    format!(r#"{{"type":"error","error":{{"type":{kind},"message":{message}}}}}"#)
}

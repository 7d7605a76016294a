//! Defines the names of Chat Completions' token counts, and the format of its errors.

use tersely_account::TokenUsage;

use serde_json::json;

use crate::protocol::failure::RoundFailure;
use crate::usage::words::UsageWords;

/// Where responses contain the token counts, and how they map to our counts. The prompt's count includes cached
/// tokens.
pub(crate) static COUNTS: UsageWords = UsageWords {
    places: &[&["usage"]],
    counts: &[INPUT, READ, HITS, WRITTEN, OUTPUT, REASONING],
    read: |counts| {
        let cache_read = counts.find(READ).or_else(|| counts.find(HITS)).unwrap_or_default();
        let cache_write = counts.count(WRITTEN);
        TokenUsage {
            input: counts.count(INPUT).saturating_sub(cache_read).saturating_sub(cache_write),
            cache_read,
            cache_write,
            cache_write_hour: 0,
            output: counts.count(OUTPUT),
            reasoning: counts.count(REASONING),
        }
    },
};

const INPUT: &str = "/prompt_tokens";
const READ: &str = "/prompt_tokens_details/cached_tokens";
/// `DeepSeek`'s name for the count of cached tokens.
const HITS: &str = "/prompt_cache_hit_tokens";
const WRITTEN: &str = "/prompt_tokens_details/cache_write_tokens";
const OUTPUT: &str = "/completion_tokens";
const REASONING: &str = "/completion_tokens_details/reasoning_tokens";

/// Writes the provider's error object.
pub(crate) fn error(failure: RoundFailure<'_>) -> String {
    let kind = failure.kind.unwrap_or("server_error");
    json!({"error": {"message": failure.message, "type": kind, "param": null, "code": null}}).to_string()
}

//! Defines the names of the Responses API's token counts, and the format of its errors.

pub(super) use crate::chat::words::error;
use tersely_account::TokenUsage;

use crate::usage::diagnosis::RESPONSES;
use crate::usage::words::UsageWords;

/// Where responses contain the token counts, and how they map to our counts. The input's count includes cached
/// tokens.
pub(super) static COUNTS: UsageWords = UsageWords {
    places: &[&["usage"], &["response", "usage"], &[RESPONSES], &["response", RESPONSES]],
    counts: &[INPUT, READ, WRITTEN, OUTPUT, REASONING],
    read: |counts| {
        let (cache_read, cache_write) = (counts.count(READ), counts.count(WRITTEN));
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

const INPUT: &str = "/input_tokens";
const READ: &str = "/input_tokens_details/cached_tokens";
const WRITTEN: &str = "/input_tokens_details/cache_write_tokens";
const OUTPUT: &str = "/output_tokens";
const REASONING: &str = "/output_tokens_details/reasoning_tokens";

//! Defines the names of Ollama's token counts.

use tersely_account::TokenUsage;

use crate::usage::words::UsageWords;

/// Where responses contain the token counts, and how they map to our counts. The counts are members of the last line.
pub(super) static COUNTS: UsageWords = UsageWords {
    places: &[&["prompt_eval_count"], &["eval_count"]],
    counts: &[INPUT, OUTPUT],
    read: |counts| TokenUsage {
        input: counts.count(INPUT),
        output: counts.count(OUTPUT),
        ..TokenUsage::default()
    },
};

const INPUT: &str = "/prompt_eval_count";
const OUTPUT: &str = "/eval_count";

//! Names Ollama's token counts.

use tersely_account::TokenUsage;

use crate::usage::words::UsageWords;

/// Where the counts are, and how they map to ours. They are members of the last line.
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

//! Says what Ollama calls its counts.

use tersely_account::TokenUsage;

use crate::usage::words::UsageWords;

/// The counts in our words. They stand beside each other in the last line.
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

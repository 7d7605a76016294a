//! Renders a run as JSON.

use serde_json::{Map, Value, json};

use crate::arm::EvalArm;
use crate::tally::ArmTally;
use crate::words::EvalWords;

/// The whole report as one JSON object.
pub(super) fn object(said: &EvalWords<'_>) -> String {
    let tally = said.tally;
    let arm = |(arm, it): (EvalArm, &ArmTally)| (key(arm), one(said, it));
    let pair = |(arm, it): (EvalArm, crate::mcnemar::AnswerPairs)| {
        let value = json!({
            "pairs": it.all(), "both_right": it.both, "lost": it.lost, "gained": it.gained, "both_wrong": it.neither,
            "p": it.probability(), "significantly_worse": it.is_worse(),
        });
        (key(arm), value)
    };
    let against: Map<_, _> =
        [EvalArm::Exact, EvalArm::Standard].into_iter().zip(tally.pairs).map(pair).collect();
    json!({
        "settings": said.settings,
        "questions": tally.questions,
        "arms": EvalArm::ALL.into_iter().zip(&tally.arms).map(arm).collect::<Map<_, _>>(),
        "against_as_sent": against,
        "failed": tally.faults.iter().map(|(why, count)| json!({ "why": why, "count": count })).collect::<Vec<_>>(),
        "file": said.file,
    })
    .to_string()
}

fn key(arm: EvalArm) -> String {
    arm.name().replace(' ', "_")
}

fn one(said: &EvalWords<'_>, it: &ArmTally) -> Value {
    json!({
        "answered": it.answered, "right": it.right, "failed": it.failed, "more_rounds": it.more, "fetched": it.fetched,
        "usage": {
            "input": it.tokens.input, "cache_read": it.tokens.cache_read, "cache_write": it.tokens.cache_write,
            "output": it.tokens.output, "reasoning": it.tokens.reasoning,
        },
        "tokens_by_our_count": it.ours,
        "milliseconds": it.millis,
        "dollars": said.price.as_ref().map(|price| price.base_cost(&it.tokens).dollars()),
    })
}

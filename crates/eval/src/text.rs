//! Renders a run for the terminal.

use tersely_terminal::number::{grouped, many};
use tersely_terminal::share::Share;
use tersely_terminal::table;

use crate::arm::EvalArm;
use crate::mcnemar::AnswerPairs;
use crate::tally::ArmTally;
use crate::words::EvalWords;

/// The whole report.
pub(super) fn lines(said: &EvalWords<'_>) -> String {
    let mut parts = vec![head(said), arms(said), pairs(said), verdict(said)];
    parts.extend(failures(said));
    parts.push(format!("Every answer is in {}.", said.file));
    parts.join("\n\n")
}

fn head(said: &EvalWords<'_>) -> String {
    format!(
        "{} to {} ({} reader, {} API), each asked in three ways.",
        many(said.tally.questions as u64, "question"),
        said.word("model"),
        said.word("reader"),
        said.word("api")
    )
}

fn arms(said: &EvalWords<'_>) -> String {
    let names =
        ["", "right", "of", "input", "saved", "cached", "output", "our count", "saved", "fetched", "cost"];
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    let sent = &said.tally.arms[0];
    for (arm, tally) in EvalArm::ALL.into_iter().zip(&said.tally.arms) {
        rows.push(vec![
            arm.name().to_owned(),
            grouped(tally.right),
            grouped(tally.answered),
            grouped(tally.tokens.read()),
            share(arm, read(sent), read(tally)),
            grouped(tally.tokens.cache_read),
            grouped(tally.tokens.output),
            grouped(tally.ours),
            share(arm, sent.ours, tally.ours),
            grouped(tally.fetched),
            said.cost(tally),
        ]);
    }
    table::align("lrrrrrrrrrr", &rows)
}

fn read(tally: &ArmTally) -> usize {
    usize::try_from(tally.tokens.read()).unwrap_or(usize::MAX)
}

fn share(arm: EvalArm, sent: usize, now: usize) -> String {
    if arm == EvalArm::Sent { String::new() } else { Share::saved(sent, now).to_string() }
}

fn pairs(said: &EvalWords<'_>) -> String {
    let names = ["compared with as sent", "pairs", "both right", "lost", "gained", "both wrong", "p"];
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    for (arm, pairs) in [EvalArm::Exact, EvalArm::Standard].into_iter().zip(said.tally.pairs) {
        let AnswerPairs { both, lost, gained, neither } = pairs;
        let counts = [pairs.all(), both, lost, gained, neither].map(grouped).to_vec();
        let last = vec![format!("{:.3}", pairs.probability())];
        rows.push([vec![arm.name().to_owned()], counts, last].concat());
    }
    table::align("lrrrrrr", &rows)
}

/// The verdict, with one sentence for each arm.
pub(super) fn verdict(said: &EvalWords<'_>) -> String {
    let arms = [EvalArm::Exact, EvalArm::Standard].into_iter().zip(said.tally.pairs);
    arms.map(|(arm, pairs)| sentence(arm, pairs)).collect::<Vec<_>>().join("\n")
}

fn sentence(arm: EvalArm, pairs: AnswerPairs) -> String {
    let name = match arm {
        EvalArm::Sent => "As sent",
        EvalArm::Exact => "Exact",
        EvalArm::Standard => "Standard",
    };
    let chance = pairs.probability();
    if pairs.is_worse() {
        return format!("{name}: significantly more answers are wrong (McNemar, p = {chance:.3}).");
    }
    if pairs.gained > pairs.lost && chance < crate::mcnemar::LEVEL {
        return format!("{name}: significantly more answers are right (McNemar, p = {chance:.3}).");
    }
    let differ = pairs.lost + pairs.gained;
    format!(
        "{name}: no significant difference (McNemar, p = {chance:.3}; {differ} of {} pairs differ).",
        pairs.all()
    )
}

/// A line about failed requests, if there are any.
pub(super) fn failures(said: &EvalWords<'_>) -> Option<String> {
    let failed: usize = said.tally.arms.iter().map(|arm| arm.failed).sum();
    said.tally.faults.first()?;
    let faults = said.tally.faults.iter().take(4).map(|(why, count)| format!("  {count} × {why}"));
    let faults = faults.collect::<Vec<_>>().join("\n");
    let what = many(failed as u64, "request");
    Some(format!(
        "{what} failed, so their pairs are not counted; to repeat them, run the command again:\n{faults}"
    ))
}

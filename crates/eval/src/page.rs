//! Renders a run as an HTML page.

use tersely_terminal::number::{grouped, many};
use tersely_terminal::page::{self, document, escape_html, table, tiles};
use tersely_terminal::share::Share;

use crate::arm::EvalArm;
use crate::tally::ArmTally;
use crate::text::{failures, verdict};
use crate::words::EvalWords;

/// The whole page.
pub(super) fn page(said: &EvalWords<'_>) -> String {
    let sections = [lead(said), arms(said), pairs(said), foot(said)];
    document("Does the model still answer correctly?", &sections)
}

fn lead(said: &EvalWords<'_>) -> String {
    let [sent, _, standard] = &said.tally.arms;
    let saved = Share::saved(sent.ours, standard.ours);
    let values = [
        ("Questions", grouped(said.tally.questions)),
        ("Correct as sent", right(sent)),
        ("Correct in standard mode", right(standard)),
        ("Fewer tokens in standard mode", saved.to_string()),
    ];
    format!(
        "<h1>Does {} still answer correctly?</h1>\n<p class=\"lead\"><b>{}</b> of {} correct in standard mode, <b>{}</b> as sent</p>\n\
         <p class=\"note\">{}</p>\n{}",
        escape_html(said.word("model")),
        grouped(standard.right),
        grouped(standard.answered),
        grouped(sent.right),
        escape_html(&verdict(said)).replace('\n', "<br>"),
        tiles(&values)
    )
}

fn right(tally: &ArmTally) -> String {
    format!("{:.1} %", 100.0 - Share::saved(tally.answered, tally.right).percent())
}

fn arms(said: &EvalWords<'_>) -> String {
    let sent = &said.tally.arms[0];
    let row = |(arm, it): (EvalArm, &ArmTally)| {
        let saved =
            if arm == EvalArm::Sent { String::new() } else { Share::saved(sent.ours, it.ours).to_string() };
        let cells = [
            grouped(it.right),
            grouped(it.answered),
            grouped(it.tokens.read()),
            grouped(it.tokens.cache_read),
            grouped(it.tokens.output),
            grouped(it.ours),
            saved,
            grouped(it.fetched),
            said.cost(it),
        ];
        line(arm.name(), &cells)
    };
    let rows: String = EvalArm::ALL.into_iter().zip(&said.tally.arms).map(row).collect();
    let heads =
        ["Right", "Answered", "Input", "Cached", "Output", "Our count", "Saved", "Fetched back", "Cost"];
    table("Answers and tokens", &columns(&heads), &rows)
}

fn pairs(said: &EvalWords<'_>) -> String {
    let row = |(arm, it): (EvalArm, crate::mcnemar::AnswerPairs)| {
        let counts = [it.all(), it.both, it.lost, it.gained, it.neither].map(grouped);
        line(arm.name(), &[counts.to_vec(), vec![format!("{:.3}", it.probability())]].concat())
    };
    let rows: String =
        [EvalArm::Exact, EvalArm::Standard].into_iter().zip(said.tally.pairs).map(row).collect();
    let heads = ["Pairs", "Both right", "Lost", "Gained", "Both wrong", "p"];
    table("Pairs, compared with as sent", &columns(&heads), &rows)
}

fn line(name: &str, cells: &[String]) -> String {
    let cells: String =
        cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect::<Vec<_>>().concat();
    format!("<tr><td>{name}</td>{cells}</tr>\n")
}

/// The columns of a table: the arm, then one number column for each heading.
fn columns<'h>(heads: &[&'h str]) -> Vec<(&'h str, bool)> {
    std::iter::once(("Way", false)).chain(heads.iter().map(|head| (*head, true))).collect()
}

fn foot(said: &EvalWords<'_>) -> String {
    let mut lines = vec![
        format!(
            "{} asked in three ways ({} API, {} reader). A pair is one question, asked as sent and in one other way. p is the two-sided p-value of McNemar’s exact test.",
            many(said.tally.questions as u64, "question"),
            said.word("api"),
            said.word("reader")
        ),
        "Input, cached and output are the provider’s counts. A unique word at the start of each request prevents the three ways from sharing a cache.".to_owned(),
    ];
    lines.extend(failures(said));
    page::foot(lines)
}

//! Renders the recall scores as a page and as JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tersely_terminal::number::grouped;
use tersely_terminal::table;

use super::facts::FactKind;
use super::score::RecallScore;
use super::{MODES, RecalledTranscript};

/// Renders a page with a maximum width of 100 columns, unless each miss is listed.
pub(crate) fn text(is_verbose: bool, rows: &[RecalledTranscript], skipped: usize) -> String {
    let mut parts = vec![clients(rows), kinds(rows)];
    parts.push(format!(
        "{} transcripts, {skipped} skipped. Of what later calls name and earlier tool results showed: the share that can be\n\
         read in what was sent for those results, and (said) what stands only elsewhere in the conversation.",
        rows.len()
    ));
    if is_verbose {
        parts.extend(misses(rows));
    }
    parts.join("\n\n")
}

/// The scores of each client, and of all clients.
fn grouped_rows(rows: &[RecalledTranscript]) -> Vec<(&'static str, usize, [RecallScore; 2])> {
    let mut clients: BTreeMap<&'static str, (usize, [RecallScore; 2])> = BTreeMap::new();
    let mut all = (0, <[RecallScore; 2]>::default());
    for row in rows {
        let one = clients.entry(row.client).or_default();
        for sum in [one, &mut all] {
            sum.0 += 1;
            for (mine, theirs) in sum.1.iter_mut().zip(&row.scores) {
                mine.add(theirs);
            }
        }
    }
    let each = clients.into_iter().map(|(client, (count, scores))| (client, count, scores));
    each.chain([("all", all.0, all.1)]).collect()
}

fn clients(rows: &[RecalledTranscript]) -> String {
    let head = ["client", "transcripts", "calls", "named", "exact", "standard", "said", "missed"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for (client, count, [exact, standard]) in grouped_rows(rows) {
        lines.push(vec![
            client.to_owned(),
            grouped(count),
            grouped(exact.calls),
            grouped(exact.all()[0]),
            percent(exact.all()),
            percent(standard.all()),
            grouped(standard.said),
            grouped(standard.misses.len()),
        ]);
    }
    table::align("lrrrrrrr", &lines)
}

fn kinds(rows: &[RecalledTranscript]) -> String {
    let head = ["kind", "named", "exact", "standard"].map(str::to_owned).to_vec();
    let mut lines = vec![head];
    if let Some((_, _, [exact, standard])) = grouped_rows(rows).pop() {
        for ((_, name), (exact, standard)) in
            FactKind::ALL.into_iter().zip(exact.counts.into_iter().zip(standard.counts))
        {
            lines.push(vec![name.to_owned(), grouped(exact[0]), percent(exact), percent(standard)]);
        }
    }
    table::align("lrrr", &lines)
}

fn percent([shown, sent]: [usize; 2]) -> String {
    if shown == 0 {
        return "-".to_owned();
    }
    // Round down, so that only complete recall is shown as 100.
    let hundredths = sent * 10_000 / shown;
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

fn misses(rows: &[RecalledTranscript]) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows {
        for ((mode, _), score) in MODES.into_iter().zip(&row.scores) {
            for (number, tool, fact) in &score.misses {
                lines.push(format!(
                    "{mode}: {}, call {number} ({tool}), {}: {}",
                    row.name, fact.argument, fact.word
                ));
            }
        }
    }
    lines
}

/// All scores as one JSON object.
pub(crate) fn json(rows: &[RecalledTranscript]) -> String {
    let score = |score: &RecallScore| {
        let kinds = FactKind::ALL.into_iter().zip(score.counts);
        let kinds = kinds
            .map(|((_, name), [shown, sent])| (name.to_owned(), json!({ "named": shown, "read": sent })));
        json!({
            "calls": score.calls, "named": score.all()[0], "read": score.all()[1], "said": score.said,
            "missed": score.misses.len(), "kinds": kinds.collect::<Map<_, _>>(),
        })
    };
    let modes = |scores: &[RecallScore; 2]| {
        MODES
            .into_iter()
            .zip(scores)
            .map(|((mode, _), it)| (mode.to_owned(), score(it)))
            .collect::<Map<_, _>>()
    };
    let clients = grouped_rows(rows).into_iter().map(|(client, count, scores)| {
        (client.to_owned(), json!({ "transcripts": count, "modes": modes(&scores) }))
    });
    let missed: Vec<Value> = misses(rows).into_iter().map(Value::from).collect();
    json!({ "clients": clients.collect::<Map<_, _>>(), "misses": missed }).to_string()
}

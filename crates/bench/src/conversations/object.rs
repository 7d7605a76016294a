//! Renders the scores of transcripts as a JSON object.

use serde_json::{Map, Value, json};
use tersely_terminal::share::Share;

use super::heads::{AgentHead, HEADS};
use super::model_price::PLAIN;
use super::quote::Quotes;
use super::replay::WAYS;
use super::score::{ReplayScore, TranscriptScore, WaySums, bill, even, quartiles, saved, tokens};

/// One JSON object with everything on the page.
pub(crate) fn json(score: &ReplayScore) -> String {
    let files: Map<String, Value> =
        score.rows.iter().map(|row| (row.name.clone(), transcript(row))).collect();
    let clients: Map<String, Value> =
        score.clients().into_iter().map(|(client, rows)| (client.to_owned(), sums(&rows))).collect();
    let stages = score.stages().into_iter();
    let stages = stages
        .map(|(name, [exact, standard])| json!({ "stage": name, "exact": exact, "standard": standard }));
    json!({
        "transcripts": files,
        "clients": clients,
        "total": sums(&score.all()),
        "heads": { "date": HEADS.date, "heads": HEADS.heads.iter().map(head).collect::<Vec<_>>() },
        "stages": stages.collect::<Vec<_>>(),
        "quotes": { "exact": quotes(score.quotes(1)), "standard": quotes(score.quotes(2)) },
        "dearer": score.dearer(), "changed": score.changed(), "offered": score.offered(), "skipped": score.skipped,
    })
    .to_string()
}

fn transcript(row: &TranscriptScore) -> Value {
    let stages = |way: usize| -> Map<String, Value> {
        row.ways[way].report.record.stages.iter().map(|it| (it.stage.to_owned(), json!(it.saved))).collect()
    };
    json!({
        "client": row.client, "requests": row.turns, "tool_results": ways(row.tokens(), 1),
        "bill": ways(row.bill(), PLAIN), "output": row.ways[0].output / PLAIN, "tool": row.ways[2].tool / PLAIN,
        "even": evens(&[row]),
        "stages": { "exact": stages(1), "standard": stages(2) }, "dearer": row.is_dearer(), "changed": row.changed(),
    })
}

/// The totals of some transcripts, and the spread of their savings.
fn sums(rows: &[&TranscriptScore]) -> Value {
    let part = |of: fn(&TranscriptScore) -> usize| rows.iter().map(|row| of(row)).sum::<usize>() / PLAIN;
    let spread = |of: fn(&TranscriptScore) -> WaySums| {
        let percents = |way| quartiles(rows, of, way).map(Share::percent).to_vec();
        json!({ "exact": percents(1), "standard": percents(2) })
    };
    json!({
        "transcripts": rows.len(), "requests": rows.iter().map(|row| row.turns).sum::<usize>(),
        "tool_results": ways(tokens(rows), 1), "bill": ways(bill(rows), PLAIN),
        "output": part(|row| row.ways[0].output), "tool": part(|row| row.ways[2].tool),
        "quartiles": { "tool_results": spread(TranscriptScore::tokens), "bill": spread(TranscriptScore::bill) },
        "even": evens(rows),
    })
}

/// The number of extra turns per 1,000 removed tokens that would cancel the saving.
fn evens(rows: &[&TranscriptScore]) -> Value {
    let turns = |way| even(rows, way).and_then(|hundredths| u32::try_from(hundredths).ok());
    let turns = |way| turns(way).map(|hundredths| f64::from(hundredths) / 100.0);
    json!({ "exact": turns(1), "standard": turns(2) })
}

fn head(head: &AgentHead) -> Value {
    json!({ "client": head.client, "version": head.version, "system": head.system, "tools": head.tools })
}

fn quotes(Quotes { stood, latest, named }: Quotes) -> Value {
    json!({ "stood": stood, "latest_read": latest, "or_named": named })
}

/// The whole tokens and the saving of each way. `sums` counts in units of 1/`parts` token.
fn ways(sums: WaySums, parts: usize) -> Value {
    let mut object = Map::new();
    for (way, (name, ..)) in WAYS.into_iter().enumerate() {
        object.insert(name.to_owned(), json!((sums[way] + parts / 2) / parts));
        if way > 0 {
            object.insert(format!("{name}_saved"), json!(saved(sums, way).percent()));
        }
    }
    Value::Object(object)
}

//! Renders the measurements as a page and as JSON.

use serde_json::{Map, Value as Json, json};
use tersely_terminal::share::Share;
use tersely_terminal::table;

use super::score::{FileScore, FormsCost, FormsScore};
use super::speed::TaskSpeed;

const HEAD: [&str; 8] = ["file", "as sent", "compact", "STC", "tight", "TOON", "auto", "saved"];

/// The maximum length of a file name, which leaves room for the numbers in 100 columns.
const NAME: usize = 34;

/// Renders a page with a maximum width of 100 columns.
pub(crate) fn text(score: &FormsScore, speeds: &[TaskSpeed]) -> String {
    [tokens(score), laws(score), skipped(score), pace(speeds)].join("\n\n")
}

fn tokens(score: &FormsScore) -> String {
    let head = HEAD.map(str::to_owned).to_vec();
    let files = score.rows.iter().map(|row| cells(&row.file, &row.cost));
    let rows: Vec<_> = std::iter::once(head).chain(files).chain([cells("total", &score.total())]).collect();
    table::align("lrrrrrrr", &rows)
        + "\n\nTokens by o200k; saved is auto against the text as sent."
        + "\n-: the form cannot represent this file exactly; the total counts its compact JSON instead."
}

fn cells(name: &str, cost: &FormsCost) -> Vec<String> {
    let shown = |tokens: Option<usize>| tokens.map_or("-".to_owned(), |tokens| tokens.to_string());
    let counts = [Some(cost.sent), Some(cost.compact), cost.stc, cost.tight, cost.toon, Some(cost.auto)];
    let name = name.chars().take(NAME).collect();
    std::iter::once(name).chain(counts.map(shown)).chain([cost.saved().to_string()]).collect()
}

fn laws(score: &FormsScore) -> String {
    let median = format!("median saved                                    {}", score.median());
    let total = score.total();
    let compact = format!(
        "compact JSON alone saves                        {}",
        Share::saved(total.sent, total.compact)
    );
    let above = format!("files that cost more than compact JSON (law: 0) {}", listed(&score.above()));
    let inexact = format!("files that do not decode exactly (law: 0)       {}", listed(&score.inexact()));
    [median, compact, above, inexact].join("\n")
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "0".to_owned(),
        names => format!("{}: {}", names.len(), names.join(", ")),
    }
}

fn skipped(score: &FormsScore) -> String {
    let head = format!("{} files, {} skipped (not one JSON document)", score.rows.len(), score.skipped.len());
    [vec![head], score.skipped.clone()].concat().join("\n  ")
}

fn pace(speeds: &[TaskSpeed]) -> String {
    let head = ["speed, one thread", "MB/s read", "MB/s of JSON as sent"].map(str::to_owned).to_vec();
    let rows = speeds
        .iter()
        .map(|speed| vec![explained(speed.task).to_owned(), tenths(speed.read), tenths(speed.sent)]);
    table::align("lrr", &std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

fn explained(task: &'static str) -> &'static str {
    match task {
        "auto" => "auto: parse, encode, count exactly, choose",
        "decode" => "decode: the chosen form to our Value",
        "parse" => "parse: JSON to our Value",
        "serde_json" => "parse: JSON to serde_json::Value",
        "jiter" => "parse: JSON to jiter::JsonValue",
        other => other,
    }
}

fn tenths(rate: u64) -> String {
    format!("{}.{}", rate / 10, rate % 10)
}

/// One JSON object with everything on the page.
pub(crate) fn json(score: &FormsScore, speeds: &[TaskSpeed]) -> String {
    json!({
        "files": score.rows.iter().map(row).collect::<Vec<_>>(),
        "skipped": score.skipped,
        "total": costs(&score.total()),
        "median_saved": score.median().percent(),
        "above_compact": score.above(),
        "inexact": score.inexact(),
        "megabytes_per_second": speeds.iter().map(rates).collect::<Map<_, _>>(),
    })
    .to_string()
}

fn row(row: &FileScore) -> Json {
    json!({ "file": row.file, "form": row.form.name(), "exact": row.exact, "cost": costs(&row.cost) })
}

fn costs(cost: &FormsCost) -> Json {
    json!({
        "sent": cost.sent,
        "compact": cost.compact,
        "stc": cost.stc,
        "stc_tight": cost.tight,
        "toon": cost.toon,
        "auto": cost.auto,
        "saved": cost.saved().percent(),
    })
}

fn rates(speed: &TaskSpeed) -> (String, Json) {
    let number = |rate: u64| tenths(rate).parse::<f64>().map(Json::from).unwrap_or_default();
    (speed.task.to_owned(), json!({ "read": number(speed.read), "sent": number(speed.sent) }))
}

//! Shows what transcripts came to: a page for people, an object for scripts.

use serde_json::{Map, Value, json};
use tersely_terminal::share::Share;
use tersely_terminal::table;

use super::bill::{PLAIN, PromptCache};
use super::quote::Quotes;
use super::replay::WAYS;
use super::score::{ReplayScore, TranscriptScore, WaySums, saved};

const HEAD: [&str; 9] = ["transcript", "as sent", "exact", "", "standard", "", "bill", "exact", "standard"];

/// The longest name that leaves room for the numbers in 100 columns.
const NAME: usize = 30;

/// How many stages have a line of their own.
const STAGES: usize = 16;

/// A page of at most 100 columns.
pub(crate) fn text(score: &ReplayScore) -> String {
    [tokens(score), bills(score), stages(score), laws(score)].join("\n\n")
}

fn tokens(score: &ReplayScore) -> String {
    let own = |row: &TranscriptScore| row.bill(row.cache);
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(score.rows.iter().map(|row| cells(&row.name, row.tokens(), own(row))));
    rows.push(cells("total", score.tokens(), score.bill(None)));
    let medians = [score.median(TranscriptScore::tokens, 1), score.median(TranscriptScore::tokens, 2)];
    let billed = [score.median(own, 1), score.median(own, 2)];
    let [exact, standard, cost, least] =
        [medians[0], medians[1], billed[0], billed[1]].map(|share| format!("{:.1}", share.percent()));
    let none = String::new;
    rows.push(vec!["median".to_owned(), none(), none(), exact, none(), standard, none(), cost, least]);
    table::align("lrrrrrrrr", &rows)
        + "\n\nTokens of tool results by o200k, and the percent saved. Bill: all input of all turns in the cache"
        + "\nof the transcript's own provider, in thousands of tokens at the plain price, and the percent saved."
}

fn cells(name: &str, tokens: WaySums, bill: WaySums) -> Vec<String> {
    let percent = |sums, way| format!("{:.1}", saved(sums, way).percent());
    let mut cells = vec![name.chars().take(NAME).collect(), tokens[0].to_string()];
    for (way, count) in tokens.iter().enumerate().skip(1) {
        cells.extend([count.to_string(), percent(tokens, way)]);
    }
    cells.extend([thousands(bill[0]), percent(bill, 1), percent(bill, 2)]);
    cells
}

fn thousands(twentieths: usize) -> String {
    let hundreds = (twentieths + PLAIN * 50) / (PLAIN * 100);
    format!("{}.{}", hundreds / 10, hundreds % 10)
}

fn bills(score: &ReplayScore) -> String {
    let head = ["all transcripts, in thousands", "direct", "exact", "", "standard", ""];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (name, cache) in [
        ("each in its own provider's cache", None),
        ("Anthropic: read 0.1, written 1.25", Some(PromptCache::Anthropic)),
        ("OpenAI: read 0.1, the rest 1", Some(PromptCache::OpenAi)),
    ] {
        let bill = score.bill(cache);
        let percent = |way| saved(bill, way).to_string();
        let [direct, exact, standard] = bill.map(thousands);
        rows.push(vec![name.to_owned(), direct, exact, percent(1), standard, percent(2)]);
    }
    table::align("lrrrrr", &rows)
}

/// What the stages saved; those that saved little share a line.
fn stages(score: &ReplayScore) -> String {
    let sent = score.tokens()[0];
    let stages = score.stages();
    let (most, rest) = stages.split_at(STAGES.min(stages.len()));
    let head = ["stage, tokens saved", "exact", "", "standard", ""];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(most.iter().map(|&(name, saved)| stage(name, sent, saved)));
    if !rest.is_empty() {
        let sum = [0, 1].map(|way| rest.iter().map(|(_, saved)| saved[way]).sum());
        rows.push(stage(&format!("{} others", rest.len()), sent, sum));
    }
    table::align("lrrrr", &rows) + "\n\nIn percent of all tokens of tool results as sent."
}

fn stage(name: &str, sent: usize, saved: [i64; 2]) -> Vec<String> {
    let [exact, standard] = saved.map(|saved| [saved.to_string(), format!("{:.1}", share(sent, saved))]);
    [vec![name.to_owned()], exact.to_vec(), standard.to_vec()].concat()
}

/// So many of all tokens, in percent, to a tenth.
fn share(sent: usize, saved: i64) -> f64 {
    let whole = i64::try_from(sent.max(1)).unwrap_or(i64::MAX);
    let tenths = (2_000 * saved + whole * saved.signum()) / (2 * whole);
    i32::try_from(tenths).map_or(f64::NAN, f64::from) / 10.0
}

fn laws(score: &ReplayScore) -> String {
    let [latest, named] = Quotes::LAW;
    let mut lines = vec![
        format!("texts quoted by edits, in one piece, exact and standard, of {}", score.quotes(1).stood),
        format!(
            "  in the latest read of the file (law: {latest} %)          {}",
            quoted(score, |it| it.latest)
        ),
        format!(
            "  or in the read that it refers to (law: {named} %)        {}",
            quoted(score, |it| it.named)
        ),
        format!("transcripts that cost more than direct (law: 0)     {}", listed(&score.dearer())),
        format!("transcripts that change what was sent (law: 0)      {}", listed(&score.changed())),
        format!("transcripts {}, requests {}", score.rows.len(), requests(score)),
    ];
    lines.extend(score.skipped.iter().map(|name| format!("skipped, not a transcript: {name}")));
    lines.join("\n")
}

/// How many of the old texts that stood in the latest read still stand somewhere, each way.
fn quoted(score: &ReplayScore, part: impl Fn(Quotes) -> usize) -> String {
    let shares = [1, 2].map(|way| {
        let quotes = score.quotes(way);
        let share = Share::saved(quotes.stood, quotes.stood - part(quotes));
        format!("{} ({share})", part(quotes))
    });
    shares.join(", ")
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "0".to_owned(),
        names => format!("{}\n  {}", names.len(), names.join("\n  ")),
    }
}

fn requests(score: &ReplayScore) -> usize {
    score.rows.iter().map(|row| row.turns).sum()
}

/// One object with everything that the page shows.
pub(crate) fn json(score: &ReplayScore) -> String {
    let files: Map<String, Value> =
        score.rows.iter().map(|row| (row.name.clone(), transcript(row))).collect();
    let stages = score.stages().into_iter();
    let stages = stages
        .map(|(name, [exact, standard])| json!({ "stage": name, "exact": exact, "standard": standard }));
    json!({
        "transcripts": files,
        "total": { "tool_results": ways(score.tokens(), 1), "bill": ways(score.bill(None), PLAIN),
            "bill_anthropic": ways(score.bill(Some(PromptCache::Anthropic)), PLAIN),
            "bill_openai": ways(score.bill(Some(PromptCache::OpenAi)), PLAIN), "requests": requests(score) },
        "median_saved": { "exact": score.median(TranscriptScore::tokens, 1).percent(), "standard": score.median(TranscriptScore::tokens, 2).percent() },
        "stages": stages.collect::<Vec<_>>(),
        "quotes": { "exact": quotes(score.quotes(1)), "standard": quotes(score.quotes(2)) },
        "dearer": score.dearer(), "changed": score.changed(), "skipped": score.skipped,
    })
    .to_string()
}

fn transcript(row: &TranscriptScore) -> Value {
    let stages = |way: usize| -> Map<String, Value> {
        row.ways[way].report.stages.iter().map(|it| (it.stage.to_owned(), json!(it.saved))).collect()
    };
    json!({
        "cache": row.cache.name(), "requests": row.turns, "tool_results": ways(row.tokens(), 1),
        "bill": ways(row.bill(row.cache), PLAIN), "bill_anthropic": ways(row.bill(PromptCache::Anthropic), PLAIN),
        "bill_openai": ways(row.bill(PromptCache::OpenAi), PLAIN),
        "stages": { "exact": stages(1), "standard": stages(2) }, "dearer": row.is_dearer(), "changed": row.changed(),
    })
}

fn quotes(Quotes { stood, latest, named }: Quotes) -> Value {
    json!({ "stood": stood, "latest_read": latest, "or_named": named })
}

/// Each way in whole tokens, of which a sum holds so many parts each, and what it saves.
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

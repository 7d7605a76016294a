//! Renders the scores of transcripts as a page.

use tersely_terminal::share::Share;
use tersely_terminal::table;

use super::heads::HEADS;
use super::model_price::PLAIN;
use super::quote::Quotes;
use super::score::{ReplayScore, TranscriptScore, bill, even, quartiles, saved, tokens};

const HEAD: [&str; 9] =
    ["transcript", "as sent", "exact", "standard", "bill", "exact", "standard", "even", "standard"];

/// The maximum length of a name, which leaves room for the numbers in 100 columns.
const NAME: usize = 28;

/// The maximum number of stages with a line of their own.
const STAGES: usize = 16;

/// Renders a page with a maximum width of 100 columns.
pub(crate) fn text(score: &ReplayScore) -> String {
    [transcripts(score), clients(score), parts(score), stages(score), laws(score)].join("\n\n")
}

fn transcripts(score: &ReplayScore) -> String {
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(score.rows.iter().map(|row| cells(&row.name, &[row])));
    rows.push(cells("total", &score.all()));
    let median =
        |of: fn(&TranscriptScore) -> _, way| format!("{:.1}", quartiles(&score.all(), of, way)[1].percent());
    let [results, billed] = [TranscriptScore::tokens as fn(&_) -> _, TranscriptScore::bill]
        .map(|of| [1, 2].map(|way| median(of, way)));
    let none = String::new;
    rows.push([vec!["median".to_owned(), none()], results.to_vec(), vec![none()], billed.to_vec()].concat());
    table::align("lrrrrrrrr", &rows)
        + "\n\nAs sent: tokens of tool results by o200k, and the percent saved. Bill: input at the prices of the"
        + "\nmodel's prompt cache, tools and system as the client really sends them, our own tool, and output; in"
        + "\nthousands of plain input tokens, and the percent saved. Even: so many turns more for every 1,000"
        + "\ntokens removed would eat the saving."
}

fn cells(name: &str, rows: &[&TranscriptScore]) -> Vec<String> {
    let (tokens, bill) = (tokens(rows), bill(rows));
    let percent = |sums, way| format!("{:.1}", saved(sums, way).percent());
    vec![
        name.chars().take(NAME).collect(),
        tokens[0].to_string(),
        percent(tokens, 1),
        percent(tokens, 2),
        thousands(bill[0]),
        percent(bill, 1),
        percent(bill, 2),
        turns(rows, 1),
        turns(rows, 2),
    ]
}

/// The number of extra turns that would cancel the saving of one way.
fn turns(rows: &[&TranscriptScore], way: usize) -> String {
    even(rows, way)
        .map_or("-".to_owned(), |hundredths| format!("{}.{:02}", hundredths / 100, hundredths % 100))
}

fn thousands(hundredths: usize) -> String {
    let hundreds = (hundredths + PLAIN * 50) / (PLAIN * 100);
    format!("{}.{}", hundreds / 10, hundreds % 10)
}

/// The bill by client: the total, and the spread over transcripts.
fn clients(score: &ReplayScore) -> String {
    let head = [
        "client",
        "transcripts",
        "bill",
        "exact",
        "standard",
        "lower",
        "median",
        "upper",
        "even",
        "standard",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let mut all: Vec<_> = score.clients().into_iter().collect();
    all.push(("all", score.all()));
    for (client, of) in all {
        let sums = bill(&of);
        let percent = |share: Share| format!("{:.1}", share.percent());
        let mut cells = vec![client.to_owned(), of.len().to_string(), thousands(sums[0])];
        cells.extend([1, 2].map(|way| percent(saved(sums, way))));
        cells.extend(quartiles(&of, TranscriptScore::bill, 2).map(percent));
        cells.extend([1, 2].map(|way| turns(&of, way)));
        rows.push(cells);
    }
    table::align("lrrrrrrrrr", &rows)
        + "\n\nThe bill, and the percent saved: of all; and in standard mode by single transcripts, of which a"
        + "\nquarter, half and three quarters save no more than this."
}

/// The parts of the bill other than tool results.
fn parts(score: &ReplayScore) -> String {
    let sums = bill(&score.all());
    let of = |part: usize, whole: usize| Share::saved(whole, whole - part);
    let output = score.rows.iter().map(|row| row.ways[0].output).sum();
    let tool = score.rows.iter().map(|row| row.ways[2].tool).sum();
    let mut lines = vec![
        format!("output, of the bill as sent                       {}", of(output, sums[0])),
        format!("added tool, of the bill in standard mode        {}", of(tool, sums[2])),
        format!("transcripts in which it is offered                {}", score.offered().len()),
        format!("tools and system as recorded on {}, in tokens", HEADS.date),
    ];
    lines.extend(HEADS.heads.iter().map(|head| {
        format!(
            "  {:<22}  system {:>6}  tools {:>6}",
            format!("{} {}", head.client, head.version),
            head.system,
            head.tools
        )
    }));
    lines.join("\n")
}

/// The savings of each stage. Stages that saved little share a line.
fn stages(score: &ReplayScore) -> String {
    let sent = tokens(&score.all())[0];
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

/// The saved tokens in percent, to one decimal place.
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

/// The share of old texts that are still found after compression, for each way.
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

//! A run as one page that needs nothing else: no script, no font, no picture from anywhere.

use tersely_terminal::number::{grouped, many};
use tersely_terminal::share::Share;

use super::arm::EvalArm;
use super::tally::{ArmTally, dollars};
use super::text::{failed, verdict};
use super::words::EvalWords;

const STYLE: &str = include_str!("../audit/page.css");

/// The page.
pub(super) fn page(said: &EvalWords<'_>) -> String {
    let sections = [lead(said), arms(said), pairs(said), foot(said)];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Does the model still answer right?</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
        sections.concat()
    )
}

fn word(said: &EvalWords<'_>, name: &str) -> String {
    escaped(said.settings[name].as_str().unwrap_or_default())
}

fn lead(said: &EvalWords<'_>) -> String {
    let [sent, _, standard] = &said.tally.arms;
    let saved = Share::saved(sent.ours, standard.ours);
    let tile = |name: &str, value: String| format!("<li><span>{name}</span><b>{value}</b></li>");
    let tiles = [
        tile("Questions", grouped(said.tally.questions)),
        tile("Right as sent", right(sent)),
        tile("Right in standard mode", right(standard)),
        tile("Tokens less in standard mode", saved.to_string()),
    ];
    format!(
        "<h1>Does {} still answer right?</h1>\n<p class=\"lead\"><b>{}</b> of {} right in standard mode, <b>{}</b> as sent</p>\n\
         <p class=\"note\">{}</p>\n<ul class=\"tiles\">{}</ul>\n",
        word(said, "model"),
        grouped(standard.right),
        grouped(standard.answered),
        grouped(sent.right),
        escaped(&verdict(said)).replace('\n', "<br>"),
        tiles.concat()
    )
}

fn right(tally: &ArmTally) -> String {
    format!("{:.1} %", 100.0 - Share::saved(tally.answered, tally.right).percent())
}

fn arms(said: &EvalWords<'_>) -> String {
    let sent = &said.tally.arms[0];
    let row = |(arm, it): (EvalArm, &ArmTally)| {
        let cost =
            said.price.map_or_else(|| "?".to_owned(), |price| format!("${:.4}", dollars(&price, &it.tokens)));
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
            cost,
        ];
        line(arm.name(), &cells)
    };
    let rows: String = EvalArm::ALL.into_iter().zip(&said.tally.arms).map(row).collect();
    let heads =
        ["Right", "Answered", "Input", "Cached", "Output", "Our count", "Saved", "Fetched back", "Cost"];
    table("Answers and tokens", "Way", &heads, &rows)
}

fn pairs(said: &EvalWords<'_>) -> String {
    let row = |(arm, it): (EvalArm, super::mcnemar::AnswerPairs)| {
        let counts = [it.all(), it.both, it.lost, it.gained, it.neither].map(grouped);
        line(arm.name(), &[counts.to_vec(), vec![format!("{:.3}", it.probability())]].concat())
    };
    let rows: String =
        [EvalArm::Exact, EvalArm::Standard].into_iter().zip(said.tally.pairs).map(row).collect();
    let heads = ["Pairs", "Both right", "Lost", "Gained", "Both wrong", "p"];
    table("Pairs, against as sent", "Way", &heads, &rows)
}

fn line(name: &str, cells: &[String]) -> String {
    let cells: String =
        cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect::<Vec<_>>().concat();
    format!("<tr><td>{name}</td>{cells}</tr>\n")
}

/// A table; its first column holds names, all others numbers.
fn table(title: &str, first: &str, heads: &[&str], rows: &str) -> String {
    let heads = heads
        .iter()
        .map(|name| format!("<th scope=\"col\" class=\"n\">{name}</th>"))
        .collect::<Vec<_>>()
        .concat();
    format!(
        "<h2>{title}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table><thead>\
         <tr><th scope=\"col\">{first}</th>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn foot(said: &EvalWords<'_>) -> String {
    let mut lines = vec![
        format!(
            "{} asked in three ways, {} API, {} reader. A pair is one question asked as sent and in another way; p is McNemar’s exact test, two-sided.",
            many(said.tally.questions as u64, "question"),
            word(said, "api"),
            word(said, "reader")
        ),
        "Input, cached and output are the provider’s counts. A word at the start of each request keeps the ways from sharing a cache.".to_owned(),
    ];
    lines.extend(failed(said).map(|it| escaped(&it).replace('\n', "<br>")));
    let lines = lines.iter().map(|line| format!("<p>{line}</p>")).collect::<Vec<_>>().concat();
    format!("<footer>{lines}</footer>\n")
}

/// A text that may stand between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

//! Lays out the savings for a terminal of any size.

use std::fmt::Write as _;

use tersely_account::{PriceTable, RequestSums, TokenUsage};
use tersely_history::{
    BreakTotal, GroupSums, HistoryError, HistoryParts, HistoryPeriod, HistoryView, SeenLimit, SeenSession,
    StepTotal,
};
use tersely_terminal::number::{grouped, many};
use tersely_terminal::screen::ScreenRoom;

use crate::command::stats::amount::{money, share, tokens};
use crate::command::stats::block::{DIM, GOOD, HEAD, StatsBlock, arrange};
use crate::command::stats::windows;

/// The maximum number of days in the chart.
const DAYS: usize = 120;

/// The maximum number of sessions in the list.
const SESSIONS: usize = 20;

/// The number of lines that are always shown: the headline, the sums, the chart and the footnote.
const FIXED: usize = 12;

/// The columns of lists of tokens.
const TOKENS: [&str; 2] = ["sent", "saved"];

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The savings to show.
pub(crate) struct StatsReport {
    period: HistoryPeriod,
    today: RequestSums,
    week: RequestSums,
    all: RequestSums,
    parts: HistoryParts,
    days: Vec<(String, RequestSums)>,
    limits: Vec<SeenLimit>,
    sessions: Vec<SeenSession>,
    breaks: Vec<BreakTotal>,
    steps: StepTotal,
}

impl StatsReport {
    /// Reads the report from the history.
    pub(crate) fn read(
        view: &HistoryView,
        period: HistoryPeriod,
        prices: &PriceTable,
    ) -> Result<Self, HistoryError> {
        Ok(Self {
            period,
            today: view.sums(HistoryPeriod::Today)?,
            week: view.sums(HistoryPeriod::Week)?,
            all: view.sums(HistoryPeriod::All)?,
            parts: view.parts(period)?,
            days: view.days(DAYS)?,
            limits: view.limits()?,
            sessions: view.sessions(SESSIONS)?,
            breaks: view.breaks(None)?,
            steps: view.steps(prices)?,
        })
    }

    /// True if there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.requests == 0
    }

    /// Renders the whole screen, with colours.
    pub(crate) fn screen(&self, room: ScreenRoom) -> String {
        let mut out = self.headline();
        out += &self.table();
        out += &self.would();
        let mut sentences = windows::sentences(&self.limits);
        sentences.extend(break_sentence(&self.breaks));
        sentences.extend(step_sentence(self.steps));
        let windows = wrapped(room.width, &sentences);
        let fixed = FIXED + windows.len() + usize::from(!windows.is_empty());
        if !windows.is_empty() {
            out += &windows.join("\n");
            out += "\n\n";
        }
        out += &self.chart(room.width);
        // Leave one line for the prompt.
        let rest = room.height.map(|height| height.saturating_sub(fixed + 1));
        out += &arrange(room.width, rest, &self.blocks());
        out + &self.footnote(room.width)
    }

    fn headline(&self) -> String {
        let all = &self.all;
        let (saved, whole) = (all.saved(), all.before);
        let what = if saved < 0 { "added" } else { "saved" };
        let head = format!("{} of all tokens {what} so far", share(saved.saturating_abs(), whole));
        let detail = format!("{} of {}", tokens(saved.saturating_abs()), tokens(signed(whole)));
        format!("{HEAD}{head}{HEAD:#} {DIM}· {detail}{DIM:#}\n\n")
    }

    fn table(&self) -> String {
        let mut out = String::new();
        let head = ["", "requests", "failed", "tokens sent", "saved", "share", "about"];
        let _ = writeln!(out, "{DIM}{}{DIM:#}", row(&head.map(str::to_owned)));
        for (name, sums) in [("today", &self.today), ("this week", &self.week), ("all time", &self.all)] {
            let worth = if sums.priced == 0 { "–".to_owned() } else { money(sums.money()) };
            let cells = [
                name.to_owned(),
                grouped(sums.requests),
                grouped(sums.failed),
                tokens(signed(sums.before)),
                tokens(sums.saved()),
                share(sums.saved(), sums.before),
                worth,
            ];
            let _ = writeln!(out, "{}", row(&cells));
        }
        out.push('\n');
        out
    }

    /// The possible saving on requests that were sent unchanged; empty if there are none.
    fn would(&self) -> String {
        let would = &self.all.would;
        if would.requests == 0 {
            return String::new();
        }
        let worth = if would.money == 0 { String::new() } else { format!(", about {}", money(would.money)) };
        format!(
            "{} sent unchanged: {} of {} tokens would have been saved, {}{worth} {DIM}· not included above{DIM:#}\n\n",
            many(would.requests, "request"),
            tokens(would.saved()),
            tokens(signed(would.before)),
            share(would.saved(), would.before),
        )
    }

    /// A chart with a bar for each day since the first request. If they do not fit, only the latest days are shown.
    fn chart(&self, width: usize) -> String {
        let used = self.days.iter().position(|(_, sums)| sums.requests > 0).unwrap_or(0);
        // Show at least two weeks, because a chart of a day or two is of no use.
        let first = used.min(self.days.len().saturating_sub(14));
        let days = &self.days[first.max(self.days.len().saturating_sub(width))..];
        let most = days.iter().map(|(_, sums)| sums.saved()).max().unwrap_or(0).max(1);
        let bars: String = days.iter().map(|(_, sums)| bar(most, sums)).collect();
        let best = days.iter().max_by_key(|(_, sums)| sums.saved()).map_or("", |(day, _)| day);
        let about = format!("saved per day, {} days; maximum on {best}: {}", days.len(), tokens(most));
        format!("{DIM}{about}{DIM:#}\n{GOOD}{bars}{GOOD:#}\n\n")
    }

    fn blocks(&self) -> Vec<StatsBlock> {
        let parts = &self.parts;
        let by = |title, list: &[(String, RequestSums)]| StatsBlock {
            title,
            columns: TOKENS,
            rows: list.iter().filter(|row| is_told(row)).map(|(name, sums)| requests(name, sums)).collect(),
        };
        let tools = parts.groups.iter().map(|([tool, family], sums)| results(tool, family, sums)).collect();
        let mut blocks = vec![
            by("client", &parts.clients),
            by("project", &parts.projects),
            StatsBlock { title: "tool results", columns: TOKENS, rows: tools },
            by("model", &parts.models),
        ];
        // Where nobody is told apart, a list of one would say nothing.
        if parts.tenants.iter().any(|(name, _)| !name.is_empty()) {
            blocks.insert(0, by("tenant", &parts.tenants));
        }
        blocks.extend(windows::block(&self.sessions));
        blocks
    }

    fn footnote(&self, width: usize) -> String {
        let since = match self.period {
            HistoryPeriod::Today => "today",
            HistoryPeriod::Week => "this week",
            HistoryPeriod::Month => "30 days",
            HistoryPeriod::All => "all time",
        };
        let known = self.all.priced;
        let prices = match self.all.requests - self.all.failed {
            _ if self.all.usage == TokenUsage::default() => {
                "no $: no response reported token usage".to_owned()
            }
            _ if known == 0 => "no model has a known price".to_owned(),
            all if known < all => {
                format!("$: an estimate for {} of requests", share(signed(known), all))
            }
            _ => "$: an estimate".to_owned(),
        };
        let parts = [format!("lists: {since}"), prices, "tersely dashboard shows more".to_owned()];
        wrapped(width, &parts).iter().fold(String::new(), |all, line| format!("{all}{DIM}{line}{DIM:#}\n"))
    }
}

/// Wraps the parts of a sentence into lines with a maximum of `width` characters. A part is cut only if it is longer
/// than a line.
fn wrapped(width: usize, parts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + part.chars().count() <= width => {
                line.push_str(" · ");
                line.push_str(part);
            }
            _ => lines.push(part.chars().take(width).collect()),
        }
    }
    lines
}

/// A sentence about the breaks of the provider's cache, if there were any.
fn break_sentence(breaks: &[BreakTotal]) -> Option<String> {
    let count: u64 = breaks.iter().map(|it| it.breaks).sum();
    let (lost, cost) = breaks.iter().fold((0_u64, 0_u64), |(lost, cost), it| {
        (lost.saturating_add(it.lost), cost.saturating_add(it.cost))
    });
    let about = if cost == 0 { String::new() } else { format!(", about {}", money(signed(cost))) };
    let text = format!(
        "{}: {} tokens paid again{about} (tersely why)",
        many(count, "cache break"),
        tokens(signed(lost))
    );
    (count > 0).then_some(text)
}

/// A sentence about requests that are longer than a step of the price, if there were any.
fn step_sentence(StepTotal { requests, cost, lowest }: StepTotal) -> Option<String> {
    let (count, more, step) = (many(requests, "request"), money(signed(cost)), tokens(signed(lowest)));
    (cost > 0).then(|| format!("{count} above a price threshold ({step} tokens) cost about {more} extra"))
}

/// False for an entry that is of no use to the reader: it has neither a name nor any tokens.
fn is_told((name, sums): &(String, RequestSums)) -> bool {
    !name.is_empty() || sums.before > 0
}

fn row(cells: &[String; 7]) -> String {
    let [name, requests, failed, sent, saved, share, worth] = cells;
    format!("{name:<11}{requests:>12}{failed:>9}{sent:>14}{saved:>11}{share:>10}{worth:>12}")
}

fn bar(most: i64, sums: &RequestSums) -> char {
    if sums.requests == 0 {
        return ' ';
    }
    let level = i128::from(sums.saved().max(0)) * 7 / i128::from(most);
    BARS[usize::try_from(level).unwrap_or(0).min(7)]
}

fn requests(name: &str, sums: &RequestSums) -> [String; 3] {
    let name = if name.is_empty() { "(unknown)" } else { name };
    [name.to_owned(), tokens(signed(sums.before)), share(sums.saved(), sums.before)]
}

fn results(tool: &str, family: &str, sums: &GroupSums) -> [String; 3] {
    [format!("{tool} {family}"), tokens(signed(sums.before)), share(sums.saved(), sums.before)]
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footnote_is_not_cut() {
        let parts =
            ["lists: all time", "$: an estimate for 93.2 % of requests", "tersely dashboard shows more"];
        let parts = parts.map(str::to_owned);
        assert_eq!(wrapped(100, &parts), [parts.join(" · ")]);
        assert_eq!(wrapped(80, &parts), [parts[..2].join(" · "), parts[2].clone()]);
        assert_eq!(wrapped(20, &parts).len(), 3);
    }

    #[test]
    fn breaks_of_the_cache_are_added_up() {
        use tersely_account::{BreakCause, BreakOwner};
        let sum = |breaks, lost, cost| BreakTotal {
            owner: BreakOwner::Client,
            server: None,
            cause: BreakCause::Model,
            breaks,
            lost,
            cost,
        };
        let told = break_sentence(&[sum(1, 1_000, 20_000_000), sum(2, 500, 0)]);
        assert_eq!(
            told.as_deref(),
            Some("3 cache breaks: 1.50 k tokens paid again, about $0.02 (tersely why)")
        );
        assert_eq!(break_sentence(&[]), None);
    }

    #[test]
    fn steps_of_the_price_are_told_with_what_they_cost() {
        let total = StepTotal { requests: 2, cost: 1_250_000_000, lowest: 200_000 };
        let told = step_sentence(total);
        assert_eq!(
            told.as_deref(),
            Some("2 requests above a price threshold (200 k tokens) cost about $1.25 extra")
        );
        assert_eq!(step_sentence(StepTotal::default()), None);
    }

    #[test]
    fn requests_without_a_name_and_a_count_are_not_listed() {
        let row = |name: &str, before| (name.to_owned(), RequestSums { before, ..RequestSums::default() });
        let told = [row("", 0), row("", 5), row("claude-code", 0)].map(|row| is_told(&row));
        assert_eq!(told, [false, true, true]);
    }
}

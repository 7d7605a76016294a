//! Adds up the scores of transcripts and checks the laws.

use std::collections::BTreeMap;

use tersely_terminal::share::Share;

use super::quote::Quotes;
use super::replay::Replay;

/// The scores of all transcripts.
pub(crate) struct ReplayScore {
    pub rows: Vec<TranscriptScore>,
    /// The names of files that are not transcripts.
    pub skipped: Vec<String>,
}

/// The score of one transcript in each way.
pub(crate) struct TranscriptScore {
    pub name: String,
    /// The client that the transcript is from.
    pub client: &'static str,
    pub turns: usize,
    pub ways: [Replay; 3],
}

/// Tokens of tool results, or hundredths of tokens on a bill, for each way: direct, exact only, standard.
pub(crate) type WaySums = [usize; 3];

/// A transcript with fewer tool result tokens than this has little to save.
const FEW: usize = 2_000;

/// The extra cost that is tolerated for such a transcript, in thousandths.
const SLACK: usize = 5;

/// The saving of a way, compared with the first one.
pub(crate) fn saved(sums: WaySums, way: usize) -> Share {
    Share::saved(sums[0], sums[way])
}

impl TranscriptScore {
    /// The tokens of tool results, for each way.
    pub(crate) fn tokens(&self) -> WaySums {
        let [_, exact, standard] = &self.ways;
        let tokens = [exact, standard].map(|way| way.report.record.result_tokens);
        [tokens[0].before, tokens[0].after, tokens[1].after]
    }

    /// The cost, for each way.
    pub(crate) fn bill(&self) -> WaySums {
        [0, 1, 2].map(|way| self.ways[way].bill)
    }

    /// True if a way costs more than direct. For transcripts with little to save, a small extra cost is tolerated.
    pub(crate) fn is_dearer(&self) -> bool {
        let [direct, exact, standard] = self.bill();
        let slack = if self.tokens()[0] < FEW { SLACK } else { 0 };
        exact.max(standard) * 1_000 > direct * (1_000 + slack)
    }

    /// The number of request parts that differ from the previous turn.
    pub(crate) fn changed(&self) -> usize {
        self.ways.iter().map(|way| way.changed).sum()
    }
}

/// The tokens of all tool results, for each way.
pub(crate) fn tokens(rows: &[&TranscriptScore]) -> WaySums {
    sum(rows, TranscriptScore::tokens)
}

/// The bill of all transcripts, for each way.
pub(crate) fn bill(rows: &[&TranscriptScore]) -> WaySums {
    sum(rows, TranscriptScore::bill)
}

fn sum(rows: &[&TranscriptScore], of: impl Fn(&TranscriptScore) -> WaySums) -> WaySums {
    let add = |sums: WaySums, more: WaySums| [0, 1, 2].map(|way| sums[way] + more[way]);
    rows.iter().map(|row| of(row)).fold([0; 3], add)
}

/// The quartiles of the transcripts' savings in one way.
pub(crate) fn quartiles(
    rows: &[&TranscriptScore],
    of: impl Fn(&TranscriptScore) -> WaySums,
    way: usize,
) -> [Share; 3] {
    Share::quartiles(rows.iter().map(|row| saved(of(row), way)).collect())
}

/// The number of extra turns per 1,000 removed tokens that would cancel the saving of one way, in hundredths. `None` if
/// nothing is saved. The cost of an extra turn is the average cost of repeating a turn of the transcript.
pub(crate) fn even(rows: &[&TranscriptScore], way: usize) -> Option<u128> {
    let [direct, now] = [0, way].map(|way| bill(rows)[way] as u128);
    let dearer = rows.iter().map(|row| {
        let removed = row.tokens()[0].saturating_sub(row.tokens()[way]);
        (removed * row.ways[way].again / row.turns.max(1)) as u128
    });
    let saved = direct.checked_sub(now).filter(|saved| *saved > 0)?;
    (saved * 100_000).checked_div(dearer.sum())
}

impl ReplayScore {
    /// All transcripts.
    pub(crate) fn all(&self) -> Vec<&TranscriptScore> {
        self.rows.iter().collect()
    }

    /// The transcripts of each client, sorted by client name.
    pub(crate) fn clients(&self) -> BTreeMap<&'static str, Vec<&TranscriptScore>> {
        let mut clients: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for row in &self.rows {
            clients.entry(row.client).or_default().push(row);
        }
        clients
    }

    /// The tokens that each stage saved, exact only and standard, largest first.
    pub(crate) fn stages(&self) -> Vec<(&'static str, [i64; 2])> {
        let mut stages: BTreeMap<&'static str, [i64; 2]> = BTreeMap::new();
        for row in &self.rows {
            for (at, way) in row.ways[1..].iter().enumerate() {
                for saving in &way.report.record.stages {
                    stages.entry(saving.stage).or_default()[at] += saving.saved;
                }
            }
        }
        let mut stages: Vec<_> = stages.into_iter().collect();
        stages.sort_by_key(|&(_, [_, standard])| std::cmp::Reverse(standard));
        stages
    }

    /// The quotes that later edits can still find, in one way.
    pub(crate) fn quotes(&self, way: usize) -> Quotes {
        self.rows.iter().map(|row| row.ways[way].quotes).fold(Quotes::default(), Quotes::and)
    }

    /// The transcripts that cost more than direct.
    pub(crate) fn dearer(&self) -> Vec<&str> {
        self.named(TranscriptScore::is_dearer)
    }

    /// The transcripts in which content changed that was already sent.
    pub(crate) fn changed(&self) -> Vec<&str> {
        self.named(|row| row.changed() > 0)
    }

    /// The transcripts in which our own tool was offered.
    pub(crate) fn offered(&self) -> Vec<&str> {
        self.named(|row| row.ways[2].report.record.tool_tokens > 0)
    }

    fn named(&self, wanted: impl Fn(&TranscriptScore) -> bool) -> Vec<&str> {
        self.rows.iter().filter(|row| wanted(row)).map(|row| row.name.as_str()).collect()
    }

    /// True if no law is broken.
    pub(crate) fn is_lawful(&self) -> bool {
        let quotable = (1..=2).all(|way| self.quotes(way).is_lawful());
        self.dearer().is_empty() && self.changed().is_empty() && quotable
    }
}

#[cfg(test)]
mod tests {
    use tersely_account::{RequestRecord, TokenChange};
    use tersely_engine::Report;

    use super::*;

    fn row(results: [usize; 2], bill: [usize; 2], again: usize, turns: usize) -> TranscriptScore {
        let result_tokens = TokenChange { before: results[0], after: results[1] };
        let report = Report {
            record: RequestRecord { result_tokens, ..RequestRecord::default() },
            ..Report::default()
        };
        let way = |bill| Replay { report: report.clone(), bill, again, ..Replay::default() };
        let ways = [way(bill[0]), way(bill[0]), way(bill[1])];
        TranscriptScore { name: "x".to_owned(), client: "y", turns, ways }
    }

    #[test]
    fn a_saving_is_even_with_the_turns_that_cost_as_much() {
        // 4,000 tokens were removed and 60,000 saved, and a turn costs 10,000. That is six turns, or 1.5 per thousand.
        let one = row([9_000, 5_000], [200_000, 140_000], 50_000, 5);
        assert_eq!(even(&[&one], 2), Some(150));
        assert_eq!(even(&[&one], 1), None);
        // Another 1,000 tokens were removed, at 30,000 a turn. In total 120,000 are saved, and one turn per thousand
        // costs 40,000 + 30,000.
        let two = row([3_000, 2_000], [200_000, 140_000], 60_000, 2);
        assert_eq!(even(&[&one, &two], 2), Some(171));
        assert_eq!(even(&[&row([9_000, 5_000], [200_000, 200_001], 50_000, 5)], 2), None);
    }

    #[test]
    fn little_may_be_a_little_dearer() {
        for (results, now, dearer) in
            [(1_999, 1_005_000, false), (1_999, 1_005_001, true), (2_000, 1_000_001, true), (2_000, 9, false)]
        {
            assert_eq!(
                row([results, results], [1_000_000, now], 1, 1).is_dearer(),
                dearer,
                "{results} {now}"
            );
        }
    }
}

//! Ranks tools by how well they match a query: uses BM25 over names, descriptions and arguments, with fixed-point
//! numbers.

use std::collections::{HashMap, HashSet};

use super::ToolText;
use super::words::words;

/// How much more a word in a tool's name counts than a word in its description.
const NAME_WEIGHT: u64 = 3;

/// The number 1 in the fixed-point format of this file.
const ONE: u64 = 1 << 10;

/// BM25's parameters: `k1` of 1.2 limits how much repetitions of a word count, and `b` of 0.75 sets the penalty for
/// long texts.
const K1: u64 = ONE * 12 / 10;
const B: u64 = ONE * 3 / 4;

/// The indices of the tools that have a word in common with `query`: best match first, equal matches in their original
/// order.
#[must_use]
pub fn rank(query: &str, tools: &[ToolText]) -> Vec<usize> {
    let mut query_words = HashSet::new();
    words(query, |word| {
        query_words.insert(word.to_owned());
    });
    let counts: Vec<WordCounts> = tools.iter().map(|tool| WordCounts::of(tool, &query_words)).collect();
    let mut holders: HashMap<&str, u64> = HashMap::new();
    for word in counts.iter().flat_map(|tool| tool.occurrences.keys()) {
        *holders.entry(word).or_default() += 1;
    }
    let average = (counts.iter().map(|tool| tool.length).sum::<u64>() / counts.len().max(1) as u64).max(1);
    let score = |tool: &WordCounts| tool.score(average, counts.len() as u64, &holders);
    let mut ranked: Vec<(usize, u64)> = counts.iter().map(score).enumerate().filter(|it| it.1 > 0).collect();
    ranked.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    ranked.into_iter().map(|(place, _)| place).collect()
}

/// How often each word of a query occurs in a tool's text, and how long the text is.
#[derive(Default)]
struct WordCounts {
    occurrences: HashMap<String, u64>,
    length: u64,
}

impl WordCounts {
    fn of(tool: &ToolText, query_words: &HashSet<String>) -> Self {
        let mut counts = Self::default();
        let parts = [(tool.name.as_str(), NAME_WEIGHT), (tool.description.as_str(), 1)];
        let parameters = tool.parameters.iter().map(|name| (name.as_str(), 1));
        for (text, times) in parts.into_iter().chain(parameters) {
            words(text, |word| {
                counts.length += times;
                if let Some(word) = query_words.get(word) {
                    *counts.occurrences.entry(word.clone()).or_default() += times;
                }
            });
        }
        counts
    }

    fn score(&self, average: u64, tools: u64, holders: &HashMap<&str, u64>) -> u64 {
        let length = ONE - B + B * self.length / average;
        let weigh = |(word, times): (&String, &u64)| {
            let holders = holders.get(word.as_str()).copied().unwrap_or_default();
            // A word that few tools contain counts more: log2((tools + 1) / (holders + 1/2)).
            let rare = log2(2 * tools + 2) - log2(2 * holders + 1);
            let often = times * (ONE + K1) * ONE / (times * ONE + K1 * length / ONE);
            rare * often
        };
        self.occurrences.iter().map(weigh).sum()
    }
}

/// The binary logarithm of a number above 0, in 1024ths, rounded down.
fn log2(number: u64) -> u64 {
    let whole = u64::from(number.max(1).ilog2());
    // The remaining factor, between 1 and 2, with 31 fractional bits: each squaring yields one bit of the logarithm.
    let mut rest = (u128::from(number.max(1)) << 31) >> whole;
    let mut bits = 0;
    for _ in 0..10 {
        rest = (rest * rest) >> 31;
        bits <<= 1;
        if rest >= 2 << 31 {
            rest >>= 1;
            bits |= 1;
        }
    }
    whole * ONE + bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<ToolText> {
        let tool = |name: &str, description: &str, parameters: &[&str]| ToolText {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: parameters.iter().map(|it| (*it).to_owned()).collect(),
        };
        vec![
            tool("create_issue", "Opens an issue in a repository.", &["title", "body"]),
            tool("list_issues", "Lists the issues of a repository.", &["state"]),
            tool("send_mail", "Sends a message to somebody.", &["recipient", "body"]),
            tool("create_event", "Puts an event into a calendar.", &["start", "end"]),
            tool("drop_table", "Deletes a table.", &["table"]),
        ]
    }

    fn check(query: &str, expected: &[usize]) {
        assert_eq!(rank(query, &tools()), expected, "{query}");
    }

    #[test]
    fn what_matches_best_comes_first_and_what_does_not_match_is_left_out() {
        check("Please create an issue", &[0, 3, 1]);
        check("calendar", &[3]);
        check("the recipient of a mail", &[2, 1, 4, 0, 3]);
        check("tables", &[4]);
        check("zebra", &[]);
        check("", &[]);
        assert_eq!(rank("anything", &[]), [] as [usize; 0]);
    }

    #[test]
    fn of_equal_tools_the_first_is_first() {
        let tools = vec![ToolText { name: "same".to_owned(), ..ToolText::default() }; 50];
        assert_eq!(rank("same", &tools), (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn logarithms_are_whole_numbers() {
        for number in [1_u64, 2, 3, 7, 600, 65_537, 1 << 40, u64::MAX] {
            #[expect(clippy::cast_precision_loss, reason = "a comparison with what is nearly right")]
            let (found, right) = (log2(number) as f64, (number as f64).log2() * 1024.0);
            assert!((right - found).abs() <= 1.01, "{number}: {found} {right}");
        }
    }
}

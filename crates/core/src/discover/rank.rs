//! Ranks tools by how well they match a text: BM25 over their names, descriptions and arguments.

use std::collections::{HashMap, HashSet};

use super::ToolText;
use super::words::words;

/// How often a word in a tool's name counts, against one in its description.
const NAMED: u64 = 3;

/// One, in the fixed-point numbers of this file.
const ONE: u64 = 1 << 10;

/// How soon more of the same word counts for little, 1.2, and how much long texts are held back, 0.75: usual values.
const SOON: u64 = ONE * 12 / 10;
const HELD_BACK: u64 = ONE * 3 / 4;

/// The tools that have a word in common with `query`, by their place in `tools`: the best first, and of equal ones the
/// first.
#[must_use]
pub fn rank(query: &str, tools: &[ToolText]) -> Vec<usize> {
    let mut asked = HashSet::new();
    words(query, |word| {
        asked.insert(word.to_owned());
    });
    let counted: Vec<Counted> = tools.iter().map(|tool| Counted::of(tool, &asked)).collect();
    let mut holders: HashMap<&str, u64> = HashMap::new();
    for word in counted.iter().flat_map(|tool| tool.found.keys()) {
        *holders.entry(word).or_default() += 1;
    }
    let average = (counted.iter().map(|tool| tool.length).sum::<u64>() / counted.len().max(1) as u64).max(1);
    let score = |tool: &Counted| tool.score(average, counted.len() as u64, &holders);
    let mut ranked: Vec<(usize, u64)> = counted.iter().map(score).enumerate().filter(|it| it.1 > 0).collect();
    ranked.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    ranked.into_iter().map(|(place, _)| place).collect()
}

/// How often the words that are asked for are in a tool, and how long its text is.
#[derive(Default)]
struct Counted {
    found: HashMap<String, u64>,
    length: u64,
}

impl Counted {
    fn of(tool: &ToolText, asked: &HashSet<String>) -> Self {
        let mut counted = Self::default();
        let parts = [(tool.name.as_str(), NAMED), (tool.description.as_str(), 1)];
        let parameters = tool.parameters.iter().map(|name| (name.as_str(), 1));
        for (text, times) in parts.into_iter().chain(parameters) {
            words(text, |word| {
                counted.length += times;
                if let Some(word) = asked.get(word) {
                    *counted.found.entry(word.clone()).or_default() += times;
                }
            });
        }
        counted
    }

    fn score(&self, average: u64, tools: u64, holders: &HashMap<&str, u64>) -> u64 {
        let length = ONE - HELD_BACK + HELD_BACK * self.length / average;
        let weigh = |(word, times): (&String, &u64)| {
            let holders = holders.get(word.as_str()).copied().unwrap_or_default();
            // A word that few tools have says more: log2((tools + 1) / (holders + 1/2)).
            let rare = log2(2 * tools + 2) - log2(2 * holders + 1);
            let often = times * (ONE + SOON) * ONE / (times * ONE + SOON * length / ONE);
            rare * often
        };
        self.found.iter().map(weigh).sum()
    }
}

/// The binary logarithm of a number above 0, in 1024ths, rounded down.
fn log2(number: u64) -> u64 {
    let whole = u64::from(number.max(1).ilog2());
    // The rest, between one and two, with 31 bits behind the point: squaring it brings out one bit after another.
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

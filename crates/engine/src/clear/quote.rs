//! Finds the lines of results that a later message quotes, and no later result shows.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use tersely_account::quick_hash;
use tersely_wire::Slot;

/// The least number of bytes of a line that counts as a quotation. Shorter lines are names, which stand in the words for
/// the result, or come again by chance.
const MIN_BYTES: usize = 40;

/// The lines that are quoted, each with the last result that shows it.
pub(super) struct QuotedLines(HashMap<u64, usize>);

impl QuotedLines {
    /// The lines in the results of these slots that are quoted in what was said after them.
    pub(super) fn of(slots: &[Slot<'_>], texts: &[String], said: &[(usize, Cow<'_, str>)]) -> Self {
        let mut quotes: HashMap<u64, usize> = HashMap::new();
        for (at, text) in said {
            quotes.extend(lines(text).map(|line| (hash(line), *at)));
        }
        let mut shown: HashMap<u64, usize> = HashMap::new();
        for (slot, text) in texts.iter().enumerate() {
            shown.extend(
                lines(text).map(hash).filter(|line| quotes.contains_key(line)).map(|line| (line, slot)),
            );
        }
        shown.retain(|line, slot| quotes.get(line).is_some_and(|at| *at > slots[*slot].span.end));
        Self(shown)
    }

    /// The quoted lines of a result, in order.
    pub(super) fn of_result<'t>(&self, slot: usize, text: &'t str) -> Vec<&'t str> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        lines(text).filter(|line| self.0.get(&hash(line)) == Some(&slot) && seen.insert(*line)).collect()
    }
}

fn hash(line: &str) -> u64 {
    quick_hash(line.as_bytes())
}

/// The lines of a text that are long enough, without indentation and line numbers. Arguments may be JSON in a string, with
/// its line breaks escaped.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split('\n').flat_map(|line| line.split("\\n")).map(unnumbered);
    lines.filter(|line| line.len() >= MIN_BYTES)
}

/// A line without its indentation, and without the number that a tool puts in front of it.
fn unnumbered(line: &str) -> &str {
    let line = line.trim();
    let rest = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let text = rest.strip_prefix(['\t', '→', ':', '|']).filter(|_| rest.len() < line.len());
    text.map_or(line, str::trim_start)
}

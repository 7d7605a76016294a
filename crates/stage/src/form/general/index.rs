//! Assigns a number to each distinct word of a text's lines.

use foldhash::{HashMap, HashMapExt as _};

use crate::form::general::alarm::is_loud;
use crate::form::general::column::is_wordy;
use crate::form::general::field;
use crate::form::general::span::Span;

/// The maximum number of words inspected per line.
const MAX_WORDS: usize = 400;

/// The words of all lines.
pub(super) struct WordIndex {
    /// The words, line by line.
    all: Vec<IndexedWord>,
    /// For each line, the index of its first word in `all`.
    starts: Vec<u32>,
    /// For each line, the levels of its words, one bit for each.
    levels: Vec<u64>,
    /// For each distinct word, whether it marks an error or a warning.
    alarms: Vec<bool>,
    /// The number of levels.
    pub(super) finest: u8,
    /// For each line, how often it contains each field separator.
    pub(super) separators: Vec<[u8; field::COUNTED_SEPARATORS]>,
}

/// A word of a line.
#[derive(Clone, Copy)]
pub(super) struct IndexedWord {
    pub(super) span: Span,
    /// The number of the word; equal words have the same number.
    pub(super) number: u32,
    /// The level of detail from which on the word counts.
    pub(super) level: u8,
}

impl WordIndex {
    pub(super) fn read(text: &str, lines: &[Span]) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let (mut all, mut starts) = (Vec::with_capacity(text.len() / 6), Vec::with_capacity(lines.len() + 1));
        // For each distinct word, the number of lines that contain it, and the last such line.
        let mut support: Vec<(u32, u32)> = Vec::new();
        let mut alarms = Vec::new();
        for (row, line) in (1u32..).zip(lines) {
            starts.push(all.len() as u32);
            for word in strong_words(text, *line).take(MAX_WORDS) {
                let number = *numbers.entry(word.of(text)).or_insert(support.len() as u32);
                if number as usize == support.len() {
                    support.push((0, 0));
                    alarms.push(is_loud(word.of(text)));
                }
                let (count, last) = &mut support[number as usize];
                *count += u32::from(*last != row);
                *last = row;
                all.push(IndexedWord { span: word, number, level: 0 });
            }
        }
        starts.push(all.len() as u32);
        let steps = steps(lines.iter().filter(|line| !line.is_empty()).count());
        let level = |count: u32| steps.partition_point(|step| *step > count) as u8;
        let levels: Vec<u8> = support.into_iter().map(|(count, _)| level(count)).collect();
        for word in &mut all {
            word.level = levels[word.number as usize];
        }
        let words = starts.windows(2).map(|ends| &all[ends[0] as usize..ends[1] as usize]);
        let levels =
            words.map(|words| words.iter().fold(0, |levels, word| levels | 1 << word.level)).collect();
        let separators = lines.iter().map(|line| field::counts(text, *line)).collect();
        Self { all, starts, levels, alarms, finest: steps.len() as u8, separators }
    }

    pub(super) fn of(&self, row: u32) -> &[IndexedWord] {
        &self.all[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }

    /// True when a line contains a word that marks an error or a warning.
    pub(super) fn is_alarming(&self, row: u32) -> bool {
        self.of(row).iter().any(|word| self.alarms[word.number as usize])
    }

    /// A hash of the words of a row that count at `level`.
    pub(super) fn signature(&self, row: u32, level: u8) -> u64 {
        let counts = self.of(row).iter().filter(|word| word.level <= level);
        counts.fold(0, |sum, word| {
            (sum ^ u64::from(word.number)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
        })
    }

    /// The next level, from `level` on, at which a word of these rows counts.
    pub(super) fn next(&self, rows: &[u32], level: u8) -> Option<u8> {
        let levels = rows.iter().fold(0, |levels, row| levels | self.levels[*row as usize]);
        let next = (levels & u64::MAX << level).trailing_zeros() as u8;
        (next < self.finest).then_some(next)
    }
}

/// For each level, the number of lines that must contain a word for it to count.
fn steps(lines: usize) -> Vec<u32> {
    let mut steps = Vec::new();
    let mut step = lines as u32;
    while step > 2 {
        steps.push(step);
        step = step * 2 / 3;
    }
    steps.push(2);
    steps
}

/// Those words of a line that contain a letter.
fn strong_words(text: &str, line: Span) -> impl Iterator<Item = Span> {
    let bytes = text.as_bytes();
    let mut at = line.from();
    std::iter::from_fn(move || {
        loop {
            while at < line.to() && !is_wordy(bytes[at]) {
                at += 1;
            }
            let start = at;
            let mut has_letter = false;
            while at < line.to() && is_wordy(bytes[at]) {
                has_letter |= !bytes[at].is_ascii_digit() && bytes[at] != b'_';
                at += 1;
            }
            if start == at {
                return None;
            }
            if has_letter {
                return Some(Span::new(start, at));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;

    use super::*;

    #[test]
    fn the_next_level_is_the_lowest_at_which_a_word_of_the_rows_counts() {
        for seed in 0..800_u64 {
            let seed = &mut { seed };
            let (mut text, mut lines) = (String::new(), Vec::new());
            for _ in 0..=seed.pick(30) {
                let from = text.len();
                for _ in 0..seed.pick(5) {
                    text.push_str(["get ", "put ", "404 ", "é ", "x_1 ", "error ", "a,b "][seed.pick(7)]);
                }
                lines.push(Span::new(from, text.len()));
                text.push('\n');
            }
            let index = WordIndex::read(&text, &lines);
            let rows: Vec<u32> = (0..lines.len() as u32).filter(|_| seed.pick(3) > 0).collect();
            let support = |word: &IndexedWord| {
                (0..lines.len() as u32)
                    .filter(|row| index.of(*row).iter().any(|it| it.number == word.number))
                    .count()
            };
            let words: Vec<&IndexedWord> = rows.iter().flat_map(|row| index.of(*row)).collect();
            for level in 0..=index.finest {
                let expected =
                    words.iter().map(|word| word.level).filter(|it| (level..index.finest).contains(it)).min();
                assert_eq!(index.next(&rows, level), expected, "{text:?}");
            }
            for (one, two) in words.iter().zip(words.iter().skip(1)) {
                let are_same = one.span.of(&text) == two.span.of(&text);
                assert_eq!(one.number == two.number, are_same, "{text:?}");
                assert!(
                    one.level <= two.level || support(one) < support(two),
                    "frequent words count first: {text:?}"
                );
            }
        }
    }
}

//! Tests which of many words a line begins with, by its first byte: most lines begin with none, and one look says so.

/// Words that lines may begin with, at most 64.
pub(crate) struct PrefixSet {
    words: &'static [&'static str],
    /// For each byte, the words that begin with it, one bit for each.
    by_first: [u64; 256],
}

impl PrefixSet {
    /// The set of these words, none of which is empty.
    pub(crate) const fn new(words: &'static [&'static str]) -> Self {
        let mut by_first = [0; 256];
        let mut at = 0;
        while at < words.len() {
            by_first[words[at].as_bytes()[0] as usize] |= 1 << at;
            at += 1;
        }
        Self { words, by_first }
    }

    /// The words that `line` begins with, one bit for each.
    pub(crate) fn of(&self, line: &str) -> u64 {
        let bytes = line.as_bytes();
        let mut likely = bytes.first().map_or(0, |first| self.by_first[usize::from(*first)]);
        let mut found = 0;
        while likely != 0 {
            let bit = likely & likely.wrapping_neg();
            if bytes.starts_with(self.words[bit.trailing_zeros() as usize].as_bytes()) {
                found |= bit;
            }
            likely ^= bit;
        }
        found
    }

    /// True when `line` begins with a word of the set.
    pub(crate) fn begin(&self, line: &str) -> bool {
        self.of(line) != 0
    }
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;

    use super::*;

    #[test]
    fn every_word_at_the_start_of_a_line_is_found() {
        static WORDS: PrefixSet = PrefixSet::new(&["if", "if ", "import ", "é"]);
        for (line, found) in [("if x", 0b11), ("iffy", 0b1), ("import", 0), ("", 0), ("évident", 0b1000)] {
            assert_eq!((WORDS.of(line), WORDS.begin(line)), (found, found != 0), "{line}");
        }
    }

    /// As many words as a set can hold, many of which begin alike.
    static MANY: PrefixSet = PrefixSet::new(&[
        "a", "aa", "aaa", "aaaa", "ab", "aba", "abab", "b", "ba", "bb", "bab", "\0", "é", "éa", "ê", "ab",
        "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8",
        "d9", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "f1", "f2", "f3", "f4", "f5", "f6", "f7",
        "f8", "f9", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "h1", "h2", "abé",
    ]);

    #[test]
    fn every_line_begins_with_the_words_that_it_begins_with() {
        assert_eq!(MANY.words.len(), 64);
        for seed in 0..6000_u64 {
            let seed = &mut { seed };
            let piece = |seed: &mut u64| ["a", "b", "é", "ê", "c", "h", "2", "9", " ", "\0"][seed.pick(10)];
            let line: String = (0..seed.pick(6)).map(|_| piece(seed)).collect();
            let bits = MANY.words.iter().enumerate().filter(|(_, word)| line.starts_with(**word));
            let expected = bits.fold(0, |found, (at, _)| found | 1_u64 << at);
            assert_eq!((MANY.of(&line), MANY.begin(&line)), (expected, expected != 0), "{line:?}");
        }
    }
}

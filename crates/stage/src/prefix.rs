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
    use super::*;

    #[test]
    fn every_word_at_the_start_of_a_line_is_found() {
        static WORDS: PrefixSet = PrefixSet::new(&["if", "if ", "import ", "é"]);
        for (line, found) in [("if x", 0b11), ("iffy", 0b1), ("import", 0), ("", 0), ("évident", 0b1000)] {
            assert_eq!((WORDS.of(line), WORDS.begin(line)), (found, found != 0), "{line}");
        }
    }
}

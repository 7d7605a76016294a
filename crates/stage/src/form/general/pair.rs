//! Matches brackets and quotes, and finds the limits of fields, because a phrase contains both halves of a pair or
//! neither.

use crate::form::general::span::Span;
use crate::form::general::word::{BLANK, BREAK};

/// The words of one line.
pub(super) struct LineWords<'l> {
    pub(super) text: &'l str,
    pub(super) words: &'l [Span],
    /// For each word, what `sign` says of it.
    pub(super) signs: &'l [u8],
    pub(super) flags: &'l mut [u8],
    pub(super) pairs: &'l mut [WordPair],
    pub(super) edges: &'l mut [u8],
    /// The brackets and quotes that are open: the word and its sign. Empty between lines.
    pub(super) open: &'l mut Vec<(usize, u8)>,
}

/// The relation of a word to its counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordPair {
    /// The word is not part of a pair.
    None,
    /// The word is half of a pair, and its counterpart is missing.
    Half,
    /// The counterpart is this many words after the word, or before it if negative.
    With(i32),
}

/// The sign of an escaped quotation mark. No word is this byte alone: it is not ASCII.
const ESCAPED_QUOTE: u8 = 0xFF;

/// The byte of a word that has only one, [`ESCAPED_QUOTE`], or 0 for a longer word.
pub(super) fn sign(word: &[u8]) -> u8 {
    match word {
        [byte] => *byte,
        b"\\\"" => ESCAPED_QUOTE,
        _ => 0,
    }
}

/// The maximum nesting depth of brackets.
const MAX_DEPTH: usize = 64;

/// A field may begin at this word.
pub(super) const OPENS: u8 = 1;
/// A field may end at this word.
pub(super) const ENDS: u8 = 2;
/// The word is a field separator.
pub(super) const SEPARATES: u8 = 4;
/// The word is the name of an attribute, in front of its `=`.
pub(super) const KEY: u8 = 8;
/// The word is the name of a tag.
pub(super) const TAG: u8 = 16;

impl LineWords<'_> {
    pub(super) fn read(&mut self) {
        self.find_pairs();
        self.find_keys();
        self.find_edges();
    }

    fn str(&self, word: usize) -> &str {
        self.words[word].of(self.text)
    }

    /// True when a word begins with this byte.
    fn starts_with(&self, word: usize, byte: u8) -> bool {
        self.text.as_bytes()[self.words[word].from()] == byte
    }

    fn find_pairs(&mut self) {
        let mut open = std::mem::take(self.open);
        for word in 0..self.words.len() {
            let sign = self.signs[word];
            match sign {
                b'"' | b'`' | ESCAPED_QUOTE => self.quote(word, sign, &mut open),
                b'\'' => self.apostrophe(word, &mut open),
                b'(' | b'[' | b'{' => self.open(word, sign, &mut open),
                b'<' if self.opens_tag(word) => self.open(word, sign, &mut open),
                b')' => self.close(word, b'(', &mut open),
                b']' => self.close(word, b'[', &mut open),
                b'}' => self.close(word, b'{', &mut open),
                b'>' => self.close(word, b'<', &mut open),
                _ => {}
            }
        }
        self.drop_halves(&open);
        open.clear();
        *self.open = open;
    }

    /// Records an opening bracket or quote. At too great a depth, it counts as unmatched.
    fn open(&mut self, word: usize, byte: u8, open: &mut Vec<(usize, u8)>) {
        if open.len() < MAX_DEPTH {
            open.push((word, byte));
        } else {
            self.pairs[word] = WordPair::Half;
        }
    }

    fn opens_tag(&self, word: usize) -> bool {
        word + 1 < self.words.len()
            && self.str(word + 1).starts_with(|next: char| next.is_alphabetic() || "/!?".contains(next))
    }

    /// Marks brackets and quotes that were not closed as unmatched, except for apostrophes.
    fn drop_halves(&mut self, open: &[(usize, u8)]) {
        for (word, byte) in open {
            if *byte != b'\'' {
                self.pairs[*word] = WordPair::Half;
            }
        }
    }

    fn join(&mut self, one: usize, two: usize) {
        let far = (two - one) as i32;
        self.pairs[one] = WordPair::With(far);
        self.pairs[two] = WordPair::With(-far);
    }

    /// Pairs a quotation mark with the last open one of its kind. Brackets and quotes opened between the two are plain
    /// text.
    fn quote(&mut self, word: usize, byte: u8, open: &mut Vec<(usize, u8)>) {
        match open.iter().rposition(|(_, other)| *other == byte) {
            None => self.open(word, byte, open),
            Some(place) => {
                self.join(open[place].0, word);
                open.truncate(place);
            }
        }
    }

    fn apostrophe(&mut self, word: usize, open: &mut Vec<(usize, u8)>) {
        let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
        let before = word.checked_sub(1).and_then(|before| self.str(before).chars().next_back());
        let behind = self.words.get(word + 1).and_then(|next| next.of(self.text).chars().next());
        let is_open = open.iter().any(|(_, other)| *other == b'\'');
        if if is_open { !is_letter(behind) } else { !is_letter(before) } {
            self.quote(word, b'\'', open);
        }
    }

    fn close(&mut self, word: usize, wanted: u8, open: &mut Vec<(usize, u8)>) {
        let inside = open.iter().rposition(|(_, other)| matches!(other, b'"' | b'`'));
        let found = open.iter().rposition(|(_, other)| *other == wanted);
        match found.filter(|place| inside.is_none_or(|quote| *place > quote)) {
            Some(place) => {
                self.drop_halves(&open[place + 1..]);
                self.join(open[place].0, word);
                open.truncate(place);
            }
            None if wanted != b'<' && inside.is_none() => self.pairs[word] = WordPair::Half,
            None => {}
        }
    }

    /// Flags JSON keys, which are never part of a phrase.
    fn find_keys(&mut self) {
        for word in 0..self.words.len() {
            let WordPair::With(far @ 1..) = self.pairs[word] else { continue };
            let end = word + far as usize;
            let is_key =
                matches!(self.signs[word], b'"' | ESCAPED_QUOTE) && self.signs.get(end + 1) == Some(&b':');
            if is_key && far <= 12 {
                self.flags[word..=end].iter_mut().for_each(|flags| *flags |= BREAK);
            }
        }
    }

    fn find_edges(&mut self) {
        let count = self.words.len();
        for word in 0..count {
            let is_one = match self.signs[word] {
                b'|' | b'\t' => true,
                b',' | b';' => word + 1 < count && !self.starts_with(word + 1, b' '),
                _ => self.flags[word] & BLANK != 0 && self.str(word).contains('\t'),
            };
            self.edges[word] = if is_one { SEPARATES } else { 0 };
        }
        for word in 0..count {
            let opens = word == 0 || self.opens_behind(word - 1);
            let ends = word + 1 == count || self.ends_before(word + 1);
            let is_key =
                word + 2 < count && self.signs[word + 1] == b'=' && !self.starts_with(word + 2, b' ');
            let is_tag = word > 0
                && (self.signs[word - 1] == b'<'
                    || word > 1 && self.signs[word - 1] == b'/' && self.signs[word - 2] == b'<');
            let bits = [(opens, OPENS), (ends, ENDS), (is_key, KEY), (is_tag, TAG)];
            self.edges[word] |= bits.iter().filter(|(is_so, _)| *is_so).map(|(_, bit)| bit).sum::<u8>();
        }
    }

    fn opens_behind(&self, word: usize) -> bool {
        self.edges[word] & SEPARATES != 0
            || matches!(self.signs[word], b'(' | b'[' | b'{')
            || matches!(self.pairs[word], WordPair::With(1..))
            || word == 0 && self.str(word).starts_with([' ', '\t'])
    }

    fn ends_before(&self, word: usize) -> bool {
        self.edges[word] & SEPARATES != 0
            || matches!(self.signs[word], b')' | b']' | b'}')
            || matches!(self.pairs[word], WordPair::With(..0))
    }
}

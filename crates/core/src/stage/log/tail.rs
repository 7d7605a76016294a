//! Ends of lines that an earlier line has too, behind the same three words: `session opened …`.
//!
//! What is left of a line says what happened, in its own words, with its own values beside them.

use std::collections::HashMap;
use std::ops::Range;

use crate::{omit, signal};

/// Stands for the end that was left out.
pub(super) const MORE: &str = " …";

/// What the mark says of it.
pub(super) const NOTE: &str = "… goes on like the last line above with the same three words before it";

/// Shorter ends cost less than looking for them.
const MIN_TAIL: usize = 16;

/// Words of a line behind which its end is remembered: in longer lines nobody would look for them.
const MAX_WORDS: usize = 32;

/// The ends of the lines so far, by the three words before them.
#[derive(Default)]
pub(super) struct Tails {
    seen: String,
    known: HashMap<u64, Range<usize>>,
}

impl Tails {
    /// How much of `text` says which end it has; `None` when no line before it ended so, or trouble would be hidden.
    pub(super) fn shorten<'t>(&self, text: &'t str) -> Option<&'t str> {
        let known = |(key, end): &(u64, usize)| {
            let tail = &text[*end..];
            tail.len() >= MIN_TAIL && self.known.get(key).is_some_and(|seen| self.seen[seen.clone()] == *tail)
        };
        let (_, end) = places(text).find(known)?;
        (signal::find(&text[end..]).is_none() && !omit::is_said(text)).then_some(&text[..end])
    }

    /// The end that `shorten` left out behind `start`.
    pub(super) fn after(&self, start: &str) -> Option<&str> {
        let (key, _) = places(start).last()?;
        self.known.get(&key).map(|seen| &self.seen[seen.clone()])
    }

    /// Remembers a line's ends.
    pub(super) fn learn(&mut self, text: &str) {
        let from = self.seen.len();
        self.seen.push_str(text);
        let ends = places(text).take_while(|(_, end)| text.len() - end >= MIN_TAIL);
        self.known.extend(ends.map(|(key, end)| (key, from + end..from + text.len())));
    }
}

/// Where the third and every later word of a line ends, and a number made of the last three words.
fn places(text: &str) -> impl Iterator<Item = (u64, usize)> {
    let mut end = 0;
    let words = text.split(' ').map(move |word| {
        let from = end;
        end = from + word.len() + 1;
        (word, end - 1)
    });
    let words = words.filter(|(word, _)| !word.is_empty()).take(MAX_WORDS);
    let mut last = [0_u64; 2];
    let keyed = words.map(move |(word, end)| {
        let word = number(word);
        let key = last[0].rotate_left(26) ^ last[1].rotate_left(13) ^ word;
        last = [last[1], word];
        (key, end)
    });
    keyed.skip(2)
}

/// A number that few other words have.
fn number(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_found_behind_three_words() {
        let mut tails = Tails::default();
        tails.learn("cron[7]: session opened for user root by (uid=0)");
        let next = "cron[8]: session opened for user root by (uid=0)";
        assert_eq!(tails.shorten(next), Some("cron[8]: session opened for"));
        assert_eq!(tails.after("cron[8]: session opened for"), Some(" user root by (uid=0)"));
        for other in ["cron[8]: session opened for user mail by (uid=0)", "session opened", "", "é"] {
            assert_eq!(tails.shorten(other), None, "{other}");
        }
    }

    #[test]
    fn the_last_line_counts() {
        let mut tails = Tails::default();
        tails.learn("a b c one and then some more of it all again");
        tails.learn("a b c two and then some more of it all again");
        assert_eq!(tails.after("x a b c"), Some(" two and then some more of it all again"));
        assert_eq!(tails.shorten("a b c one and then some more of it all again"), Some("a b c one"));
        assert_eq!(
            tails.shorten("a b c three and then some more of it all again"),
            Some("a b c three and then some")
        );
    }

    #[test]
    fn trouble_stays_in_sight() {
        let mut tails = Tails::default();
        let line = "job 7 of 9 ended with error: no space left on device";
        tails.learn(line);
        assert_eq!(tails.shorten(line), None);
    }
}

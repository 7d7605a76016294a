//! Counts the tokens of a text exactly.

mod memo;
mod merge;
mod part;
mod pattern;
mod row;
mod slot;
mod split;
mod vocabulary;

use std::ops::ControlFlow;

use memo::with_memo;
pub use part::{common_start, difference, differing_after, edited_ranges, parts};
use split::pieces;

/// The `o200k_base` vocabulary, which all token counts of this product use. It has no state, so it is not passed
/// around: code that needs a count creates a value of this type.
#[derive(Debug, Clone, Copy, Default)]
pub struct O200k;

impl O200k {
    /// The number of tokens in `text`.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.count_within(text, usize::MAX).unwrap_or(usize::MAX)
    }

    /// The number of tokens in `text`, or `None` if there are more than `limit`; counting stops at the first token
    /// beyond the limit.
    #[must_use]
    pub fn count_within(self, text: &str, limit: usize) -> Option<usize> {
        with_memo(|memo| {
            let mut count = 0;
            let counted = pieces(text, |piece| {
                count += memo.count(piece);
                if count > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            counted.is_continue().then_some(count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 3.11.
    #[test]
    fn counts_are_those_of_the_vocabulary() {
        for (text, count) in
            [("", 0), ("hello world", 2), ("{\"id\":1,\"name\":\"Alice\"}", 9), ("日本語", 2)]
        {
            assert_eq!(O200k.count(text), count, "{text}");
        }
    }

    #[test]
    fn a_limit_is_kept_to_the_token() {
        let text = "{\"id\":1,\"name\":\"Alice\"}".repeat(100);
        let count = O200k.count(&text);
        assert_eq!(O200k.count_within(&text, count), Some(count));
        assert_eq!(O200k.count_within(&text, count - 1), None);
    }

    #[test]
    fn short_rows_cost_what_the_vocabulary_says() {
        for row in ["7", " ", "\n", "\t", "-", "=", "a", "B", "[", "é", " \n", "1a", "a1", "- ", "\r\n"] {
            for length in [1, 2, 3, 4, 5, 100, 383, 384, 385, 700, 1500] {
                let text = row.repeat(length);
                assert_eq!(
                    O200k.count(&text),
                    bpe_openai::o200k_base().count(text.as_str()),
                    "{row:?} {length}"
                );
            }
        }
    }

    /// Every number of up to three digits is a token; the memo relies on this.
    #[test]
    fn short_numbers_are_tokens() {
        for number in 0..1000 {
            for text in [format!("{number}"), format!("{number:02}"), format!("{number:03}")] {
                assert_eq!(bpe_openai::o200k_base().count(text.as_str()), 1, "{text}");
            }
        }
        for byte in 0..128u8 {
            assert_eq!(bpe_openai::o200k_base().count(char::from(byte).to_string().as_str()), 1);
        }
    }
}

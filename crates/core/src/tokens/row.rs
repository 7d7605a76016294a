//! Counts long runs of one byte, such as `-----`, without encoding all of them.
//!
//! The vocabulary has tokens of many lengths for such runs, and merging them takes ten times as long as merging other
//! text. But a sequence of tokens is the encoding of its text if every two adjacent tokens are the encoding of their
//! text. So a token that can follow itself can repeat any number of times: we remove repetitions of that token from a
//! run, encode the shorter run, and add the repetitions to the count.

use crate::tokens::{merge, vocabulary};

/// The length, in bytes, to which longer runs are shortened.
const SHORT_RUN_BYTES: usize = 384;

/// The token that runs of each byte mostly consist of.
pub(super) struct RowTokens([RowToken; 256]);

#[derive(Clone, Copy)]
enum RowToken {
    Unknown,
    None,
    Token(u32),
}

impl Default for RowTokens {
    fn default() -> Self {
        Self([RowToken::Unknown; 256])
    }
}

/// A shortened run: its range in the shortened piece, and its token.
struct Row {
    start: usize,
    end: usize,
    token: u32,
}

impl RowTokens {
    /// The number of tokens in a piece.
    pub(super) fn count(&mut self, piece: &[u8]) -> usize {
        self.short_count(piece).unwrap_or_else(|| merge::count(piece))
    }

    /// The number of tokens in a piece, counted with shortened runs; `None` when no run is long, or a run's token does
    /// not follow itself.
    fn short_count(&mut self, piece: &[u8]) -> Option<usize> {
        if piece.len() <= SHORT_RUN_BYTES {
            return None;
        }
        let (mut short, mut rows, mut left_out) = (Vec::new(), Vec::new(), 0);
        for row in piece.chunk_by(|one, two| one == two) {
            let token = if row.len() > SHORT_RUN_BYTES { self.token(row[0]) } else { None };
            let Some(token) = token else {
                short.extend_from_slice(row);
                continue;
            };
            let length = vocabulary::text(token).len();
            let times = (row.len() - SHORT_RUN_BYTES) / length;
            let start = short.len();
            short.extend_from_slice(&row[times * length..]);
            rows.push(Row { start, end: short.len(), token });
            left_out += times;
        }
        if left_out == 0 {
            return None;
        }
        let tokens = merge::encode(&short);
        repeat_within(&rows, &tokens).then_some(tokens.len() + left_out)
    }

    /// The token that long runs of `byte` mostly consist of, if it follows itself in such runs.
    fn token(&mut self, byte: u8) -> Option<u32> {
        let known = &mut self.0[usize::from(byte)];
        if let RowToken::Unknown = known {
            let tokens = merge::encode(&[byte; SHORT_RUN_BYTES]);
            let twice = tokens.windows(2).find(|pair| pair[0] == pair[1]);
            *known = twice.map_or(RowToken::None, |pair| RowToken::Token(pair[0]));
        }
        if let RowToken::Token(token) = *known { Some(token) } else { None }
    }
}

/// True when the token of each run follows itself in that run.
fn repeat_within(rows: &[Row], tokens: &[u32]) -> bool {
    let (mut end, mut rest) = (0, tokens.iter());
    rows.iter().all(|row| {
        let (mut before, mut twice) = (false, false);
        while end < row.end
            && let Some(&token) = rest.next()
        {
            let start = end;
            end += vocabulary::text(token).len();
            let here = token == row.token && row.start <= start && end <= row.end;
            twice |= here && before;
            before = here;
        }
        twice
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_cost_what_the_vocabulary_says() {
        let bpe = &bpe_openai::o200k_base().bpe;
        let mut row_tokens = RowTokens::default();
        for byte in 0..=255_u8 {
            for length in [
                SHORT_RUN_BYTES - 1,
                SHORT_RUN_BYTES,
                SHORT_RUN_BYTES + 1,
                2 * SHORT_RUN_BYTES + 7,
                1000 + usize::from(byte),
                2048,
            ] {
                let row = vec![byte; length];
                assert_eq!(row_tokens.count(&row), bpe.count(&row), "{byte} {length}");
            }
        }
    }

    #[test]
    fn rows_beside_others_cost_what_the_vocabulary_says() {
        let bpe = &bpe_openai::o200k_base().bpe;
        let mut row_tokens = RowTokens::default();
        for (one, two) in
            [("-", "="), ("-", "\n"), ("=", "-="), ("*", "/"), ("#", " "), ("~", "é"), (" ", "\n")]
        {
            for length in (380..640).step_by(13) {
                let text =
                    format!("({}{}{}{two}", one.repeat(length), two.repeat(length + 31), one.repeat(700));
                assert_eq!(
                    row_tokens.count(text.as_bytes()),
                    bpe.count(text.as_bytes()),
                    "{one} {two} {length}"
                );
            }
        }
    }

    #[test]
    fn a_long_row_is_counted_at_once() {
        let row = "-".repeat(8 << 20);
        assert_eq!(RowTokens::default().count(row.as_bytes()), 131_072);
    }
}

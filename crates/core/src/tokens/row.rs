//! Counts long rows of one sign, such as `-----`, without looking at all of them.
//!
//! A vocabulary has many tokens for such rows, of many lengths, and weighing them against each other takes ten times as
//! long as other texts do. But tokens are the encoding of a text whenever every two neighbours are the encoding of
//! theirs. So where a token stands twice in a row, it may stand there any number of times: a row can be shortened by that
//! token, counted, and the count made up for.

use crate::tokens::{merge, vocabulary};

/// Rows that are shortened are longer than this, and stay at least as long.
const LONG: usize = 384;

/// What rows of each byte are shortened by: the token that they are mostly made of.
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

/// A row that was shortened: where it stands now, and its token.
struct Row {
    start: usize,
    end: usize,
    token: u32,
}

impl RowTokens {
    /// The tokens of a piece.
    pub(super) fn count(&mut self, piece: &[u8]) -> usize {
        self.short_count(piece).unwrap_or_else(|| merge::count(piece))
    }

    /// The same by shorter rows; `None` when there is none to be shortened, or a token did not come twice in one.
    fn short_count(&mut self, piece: &[u8]) -> Option<usize> {
        if piece.len() <= LONG {
            return None;
        }
        let (mut short, mut rows, mut left_out) = (Vec::new(), Vec::new(), 0);
        for row in piece.chunk_by(|one, two| one == two) {
            let token = if row.len() > LONG { self.token(row[0]) } else { None };
            let Some(token) = token else {
                short.extend_from_slice(row);
                continue;
            };
            let length = vocabulary::text(token).len();
            let times = (row.len() - LONG) / length;
            let start = short.len();
            short.extend_from_slice(&row[times * length..]);
            rows.push(Row { start, end: short.len(), token });
            left_out += times;
        }
        if left_out == 0 {
            return None;
        }
        let tokens = merge::encode(&short);
        come_twice(&rows, &tokens).then_some(tokens.len() + left_out)
    }

    /// The token that a long row of `byte` is mostly made of, if it stands there twice in a row.
    fn token(&mut self, byte: u8) -> Option<u32> {
        let known = &mut self.0[usize::from(byte)];
        if let RowToken::Unknown = known {
            let tokens = merge::encode(&[byte; LONG]);
            let twice = tokens.windows(2).find(|pair| pair[0] == pair[1]);
            *known = twice.map_or(RowToken::None, |pair| RowToken::Token(pair[0]));
        }
        if let RowToken::Token(token) = *known { Some(token) } else { None }
    }
}

/// True when within each row its token stands twice in a row.
fn come_twice(rows: &[Row], tokens: &[u32]) -> bool {
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
            for length in [LONG - 1, LONG, LONG + 1, 2 * LONG + 7, 1000 + usize::from(byte), 2048] {
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

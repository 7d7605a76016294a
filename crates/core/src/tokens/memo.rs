//! Remembers the token counts of words, since most words repeat.
//!
//! The memo does not change any count. There are as many memos as threads that count at the same time, so no thread
//! waits for another. An idle memo is reused with its contents.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::tokens::row::RowTokens;

/// Calls `with` with a memo that no other thread uses.
pub(super) fn with_memo<T>(with: impl FnOnce(&mut TokenMemo) -> T) -> T {
    let idle = idle().pop();
    let mut memo = idle.unwrap_or_default();
    let result = with(&mut memo);
    self::idle().push(memo);
    result
}

/// The memos that no thread uses.
fn idle() -> MutexGuard<'static, Vec<TokenMemo>> {
    static IDLE: Mutex<Vec<TokenMemo>> = Mutex::new(Vec::new());
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A hash table of pieces. A new piece overwrites the one in the same place.
pub(super) struct TokenMemo {
    /// Each place contains a piece and its token count.
    places: Vec<u128>,
    rows: Box<RowTokens>,
}

/// The table has two to the power of this many places, which take a megabyte.
const PLACE_BITS: u32 = 16;

/// The maximum length of a piece that is remembered, in bytes: with length and count, it fills a word of 16 bytes.
const MAX_PIECE_BYTES: usize = 15;

/// The maximum length, in bytes, of a run of one byte, such as an indent, that is remembered by that byte and its
/// length.
const MAX_RUN_BYTES: usize = 512;

/// The maximum number of tokens of a piece that is remembered.
const MAX_PIECE_TOKENS: usize = 15;

/// Bit offsets of the length and the count in a 16-byte word.
const LENGTH_SHIFT: u32 = 120;
const COST_SHIFT: u32 = 124;

impl Default for TokenMemo {
    fn default() -> Self {
        Self { places: vec![0; 1 << PLACE_BITS], rows: Box::default() }
    }
}

impl TokenMemo {
    /// The number of tokens in a piece.
    #[inline]
    pub(super) fn count(&mut self, piece: &[u8]) -> usize {
        match piece {
            [byte] if byte.is_ascii() => 1,
            // A piece has at most three digits, and any three digits are one token.
            [first, ..] if first.is_ascii_digit() && piece.iter().all(u8::is_ascii_digit) => 1,
            _ if piece.len() <= MAX_PIECE_BYTES => self.recall(key(piece), piece),
            [first, rest @ ..] if piece.len() <= MAX_RUN_BYTES && rest.iter().all(|byte| byte == first) => {
                self.recall(row_key(*first, piece.len()), piece)
            }
            _ => self.rows.count(piece),
        }
    }

    fn recall(&mut self, key: u128, piece: &[u8]) -> usize {
        let place = &mut self.places[place(key)];
        if (*place ^ key) << (u128::BITS - COST_SHIFT) == 0 {
            return (*place >> COST_SHIFT) as usize;
        }
        let cost = self.rows.count(piece);
        if cost <= MAX_PIECE_TOKENS {
            *place = key | (cost as u128) << COST_SHIFT;
        }
        cost
    }
}

/// A short piece and its length as one number, which is never 0.
fn key(bytes: &[u8]) -> u128 {
    let length = bytes.len();
    // Two loads of a fixed size, which overlap if the piece is shorter than both together; they agree where they
    // overlap.
    let word = if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << ((length - 8) * 8)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << ((length - 4) * 8)
    } else {
        bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))
    };
    word | (length as u128) << LENGTH_SHIFT
}

/// A run of one byte as one number, which is never the key of a short piece.
fn row_key(byte: u8, length: usize) -> u128 {
    u128::from(byte) | (length as u128) << 8
}

/// The place for a key: the high bits of a product, which depend on all bits of the key.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of the key are wanted, and a place needs few bits"
)]
fn place(key: u128) -> usize {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (low, high) = (key as u64, (key >> 64) as u64);
    ((low ^ high.rotate_left(23)).wrapping_mul(ODD) >> (u64::BITS - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_told_apart() {
        let text = "abcdefghijklmno";
        let starts = (1..=MAX_PIECE_BYTES).map(|length| text[..length].to_owned());
        let ends = (1..MAX_PIECE_BYTES).map(|start| text[start..].to_owned());
        let rows = (1..=MAX_PIECE_BYTES).flat_map(|length| ["a".repeat(length), "\0".repeat(length)]);
        let all: Vec<String> = starts.chain(ends).chain(rows).collect();
        let keys: std::collections::HashSet<u128> = all.iter().map(|piece| key(piece.as_bytes())).collect();
        assert!((1..MAX_RUN_BYTES).all(|length| !keys.contains(&row_key(b'a', length))));
        for one in &all {
            for two in &all {
                assert_eq!(key(one.as_bytes()) == key(two.as_bytes()), one == two, "{one:?} {two:?}");
            }
        }
    }

    /// Tests the largest piece that a place can contain: one with as many tokens as bytes.
    #[test]
    fn what_is_remembered_is_what_was_counted() {
        let bpe = &bpe_openai::o200k_base().bpe;
        let mut memo = TokenMemo::default();
        let (indent, rule) = (" ".repeat(40), "-=".repeat(200));
        for piece in [
            "the",
            " the",
            &indent,
            &rule,
            "\u{1}\u{2}\u{1}\u{2}\u{1}\u{2}\u{1}\u{2}\u{1}\u{2}\u{1}\u{2}\u{1}\u{2}\u{1}",
            "QZXJKVWYQZXJKVW",
        ] {
            for _ in 0..2 {
                assert_eq!(memo.count(piece.as_bytes()), bpe.count(piece.as_bytes()), "{piece:?}");
            }
        }
    }
}

//! Remembers what words cost, since most of them come again.
//!
//! It changes no count, so who asked before does not matter. There are as many memos as count at one time, so that none
//! waits for another, and the next to count takes one that has learnt.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::tokens::row::RowTokens;

/// Calls `with` with a memo that nobody else has.
pub(super) fn with_memo<T>(with: impl FnOnce(&mut TokenMemo) -> T) -> T {
    let idle = idle().pop();
    let mut memo = idle.unwrap_or_default();
    let given = with(&mut memo);
    self::idle().push(memo);
    given
}

/// The memos that nobody has.
fn idle() -> MutexGuard<'static, Vec<TokenMemo>> {
    static IDLE: Mutex<Vec<TokenMemo>> = Mutex::new(Vec::new());
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A table of pieces; one that falls on another's place takes it.
pub(super) struct TokenMemo {
    /// Each a piece, and what it costs.
    places: Vec<u128>,
    rows: Box<RowTokens>,
}

/// Two to this many places: a megabyte.
const PLACES: u32 = 16;

/// The longest piece that is remembered: with its length and its cost, it fills a word of 16 bytes.
const LONGEST: usize = 15;

/// The longest row of one byte, such as an indent, that is remembered by that byte.
const LONGEST_ROW: usize = 512;

/// The most that a piece may cost to be remembered.
const DEAREST: usize = 15;

/// Where the length and the cost stand in such a word.
const LENGTH: u32 = 120;
const COST: u32 = 124;

impl Default for TokenMemo {
    fn default() -> Self {
        Self { places: vec![0; 1 << PLACES], rows: Box::default() }
    }
}

impl TokenMemo {
    /// The tokens of a piece.
    #[inline]
    pub(super) fn count(&mut self, piece: &[u8]) -> usize {
        match piece {
            [byte] if byte.is_ascii() => 1,
            // Of up to three digits, since a piece has no more.
            [first, ..] if first.is_ascii_digit() && piece.iter().all(u8::is_ascii_digit) => 1,
            _ if piece.len() <= LONGEST => self.recall(key(piece), piece),
            [first, rest @ ..] if piece.len() <= LONGEST_ROW && rest.iter().all(|byte| byte == first) => {
                self.recall(row_key(*first, piece.len()), piece)
            }
            _ => self.rows.count(piece),
        }
    }

    fn recall(&mut self, key: u128, piece: &[u8]) -> usize {
        let place = &mut self.places[place(key)];
        if (*place ^ key) << (u128::BITS - COST) == 0 {
            return (*place >> COST) as usize;
        }
        let cost = self.rows.count(piece);
        if cost <= DEAREST {
            *place = key | (cost as u128) << COST;
        }
        cost
    }
}

/// A short piece and its length as one number, which is never 0.
fn key(bytes: &[u8]) -> u128 {
    let length = bytes.len();
    // Loads of a fixed size, which overlap where the piece is shorter than both, and agree there.
    let word = if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << ((length - 8) * 8)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << ((length - 4) * 8)
    } else {
        bytes.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))
    };
    word | (length as u128) << LENGTH
}

/// A row of one byte as one number, which is no key of a short piece.
fn row_key(byte: u8, length: usize) -> u128 {
    u128::from(byte) | (length as u128) << 8
}

/// Where a key belongs: the high bits of a product, which depend on all of its bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of the key are wanted, and a place needs few bits"
)]
fn place(key: u128) -> usize {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (low, high) = (key as u64, (key >> 64) as u64);
    ((low ^ high.rotate_left(23)).wrapping_mul(ODD) >> (u64::BITS - PLACES)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_told_apart() {
        let text = "abcdefghijklmno";
        let starts = (1..=LONGEST).map(|length| text[..length].to_owned());
        let ends = (1..LONGEST).map(|start| text[start..].to_owned());
        let rows = (1..=LONGEST).flat_map(|length| ["a".repeat(length), "\0".repeat(length)]);
        let all: Vec<String> = starts.chain(ends).chain(rows).collect();
        let keys: std::collections::HashSet<u128> = all.iter().map(|piece| key(piece.as_bytes())).collect();
        assert!((1..LONGEST_ROW).all(|length| !keys.contains(&row_key(b'a', length))));
        for one in &all {
            for two in &all {
                assert_eq!(key(one.as_bytes()) == key(two.as_bytes()), one == two, "{one:?} {two:?}");
            }
        }
    }

    /// A piece that costs as much as it has bytes is the most that a place holds.
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

//! Remembers what words cost, since most of them come again.
//!
//! It changes no count, so who asked before does not matter; a thread has its own, so that none waits for another.

use std::cell::RefCell;

use bpe_openai::byte_pair_encoding::BytePairEncoding;

use crate::tokens::row::RowTokens;

/// Calls `with` with the thread's own memo.
pub(super) fn with_memo<T>(with: impl FnOnce(&mut TokenMemo) -> T) -> T {
    thread_local! {
        static MEMO: RefCell<TokenMemo> = RefCell::new(TokenMemo { places: vec![(0, 0); PLACES], rows: RowTokens::default() });
    }
    MEMO.with_borrow_mut(with)
}

/// A table of pieces; one that falls on another's place takes it.
pub(super) struct TokenMemo {
    places: Vec<(u128, usize)>,
    rows: RowTokens,
}

/// Half a megabyte.
const PLACES: usize = 16_384;

/// The longest piece that is remembered: with its length, it fills a word of 16 bytes.
const LONGEST: usize = 15;

impl TokenMemo {
    /// The tokens of a piece.
    pub(super) fn count(&mut self, piece: &str, bpe: &BytePairEncoding) -> usize {
        let bytes = piece.as_bytes();
        match bytes {
            [byte] if byte.is_ascii() => 1,
            // Of up to three digits, since a piece has no more.
            [first, ..] if first.is_ascii_digit() && bytes.iter().all(u8::is_ascii_digit) => 1,
            _ if bytes.len() > LONGEST => self.rows.count(bytes, bpe),
            _ => self.recall(bytes, bpe),
        }
    }

    fn recall(&mut self, bytes: &[u8], bpe: &BytePairEncoding) -> usize {
        let key = key(bytes);
        let place = place(key) & (self.places.len() - 1);
        if self.places[place].0 != key {
            self.places[place] = (key, bpe.count(bytes));
        }
        self.places[place].1
    }
}

/// A short piece and its length as one number, which is never 0.
fn key(bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    word[..bytes.len()].copy_from_slice(bytes);
    word[LONGEST] = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    u128::from_le_bytes(word)
}

/// Where a key belongs: the high bits of a product, which depend on all of its bits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of the key are wanted, and a place needs few bits"
)]
fn place(key: u128) -> usize {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (low, high) = (key as u64, (key >> 64) as u64);
    ((low ^ high.rotate_left(23)).wrapping_mul(ODD) >> 40) as usize
}

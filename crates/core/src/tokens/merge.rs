//! Byte-pair encoding: merges the bytes of a piece into tokens. Of all adjacent pairs that form a token, the one with
//! the lowest token id merges first; of equal ids, the leftmost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::tokens::vocabulary::{text, token};

/// The maximum length of a piece that is merged by linear search, in bytes.
const MAX_SHORT_BYTES: usize = 96;

/// The size of the parts, in bytes, in which longer pieces are merged.
const PART_BYTES: usize = 4096;

/// The number of bytes of a part whose tokens are final. Tokens after these can still change with the next bytes.
const FINAL_BYTES: usize = PART_BYTES - 512;

/// The value for "no token".
const NONE: u32 = u32::MAX;

/// The number of tokens in a piece.
pub(super) fn count(piece: &[u8]) -> usize {
    if token(piece).is_some() {
        return 1;
    }
    if piece.len() <= MAX_SHORT_BYTES { count_short(piece) } else { encode(piece).len() }
}

/// The number of tokens in a short piece, merged by linear search.
fn count_short(piece: &[u8]) -> usize {
    // The start of each token, and the token that it would form with the next one.
    let mut starts: [usize; MAX_SHORT_BYTES + 2] = std::array::from_fn(|at| at);
    let (mut pairs, mut count) = ([NONE; MAX_SHORT_BYTES + 2], piece.len());
    for (together, pair) in pairs.iter_mut().zip(piece.windows(2)) {
        *together = token(pair).unwrap_or(NONE);
    }
    let pair = |starts: &[usize], at: usize, count: usize| {
        if at + 2 <= count { token(&piece[starts[at]..starts[at + 2]]).unwrap_or(NONE) } else { NONE }
    };
    loop {
        let lowest = pairs[..count].iter().enumerate().min_by_key(|(at, id)| (**id, *at));
        let Some((at, _)) = lowest.filter(|(_, id)| **id != NONE) else { return count };
        starts.copy_within(at + 2..=count, at + 1);
        pairs.copy_within(at + 1..count, at);
        count -= 1;
        pairs[at] = pair(&starts, at, count);
        if at > 0 {
            pairs[at - 1] = pair(&starts, at - 1, count);
        }
    }
}

/// The tokens of a piece.
///
/// A sequence of tokens is the encoding of its text if every two adjacent tokens are the encoding of their text. This
/// is true within a part, and is checked where two parts meet. So the time for a long piece is proportional to its
/// length.
pub(super) fn encode(piece: &[u8]) -> Vec<u32> {
    let (mut tokens, mut rest) = (Vec::<u32>::new(), piece);
    while !rest.is_empty() {
        let part = merge_all(&rest[..rest.len().min(PART_BYTES)]);
        if !tokens.last().zip(part.first()).is_none_or(|(last, first)| are_apart(*last, *first)) {
            return merge_all(piece);
        }
        let (mut length, is_last) = (0, rest.len() <= PART_BYTES);
        let finals = part.into_iter().take_while(|id| {
            let is_final = is_last || length + text(*id).len() <= FINAL_BYTES;
            length += if is_final { text(*id).len() } else { 0 };
            is_final
        });
        tokens.extend(finals);
        rest = &rest[length..];
    }
    tokens
}

/// True when these two tokens are the encoding of their combined bytes.
fn are_apart(one: u32, two: u32) -> bool {
    merge_all(&[text(one), text(two)].concat()) == [one, two]
}

/// The tokens of a piece, merged as a whole with a heap.
fn merge_all(piece: &[u8]) -> Vec<u32> {
    let mut row = TokenRow::new(piece);
    while let Some(Reverse((_, start, end))) = row.heap.pop() {
        row.merge(start, end);
    }
    let mut tokens = Vec::new();
    let mut start = 0;
    while start < piece.len() {
        let end = row.ends[start];
        tokens.extend(token(&piece[start..end]));
        start = end;
    }
    tokens
}

/// The tokens of a piece during merging, by their start.
struct TokenRow<'p> {
    piece: &'p [u8],
    /// The end of the token that starts at each offset; 0 if no token starts there.
    ends: Vec<usize>,
    /// The start of the token that ends at each offset.
    starts: Vec<usize>,
    /// Possible merges: token id, start and end.
    heap: BinaryHeap<Reverse<(u32, usize, usize)>>,
}

impl<'p> TokenRow<'p> {
    fn new(piece: &'p [u8]) -> Self {
        let places = 0..=piece.len();
        let (ends, starts) =
            (places.clone().map(|at| at + 1).collect(), places.map(|at| at.max(1) - 1).collect());
        let pairs = piece.windows(2).enumerate();
        let heap = pairs.filter_map(|(at, pair)| token(pair).map(|id| Reverse((id, at, at + 2)))).collect();
        Self { piece, ends, starts, heap }
    }

    /// Merges the two tokens between these offsets, if they have not changed.
    fn merge(&mut self, start: usize, end: usize) {
        let middle = self.ends[start];
        if middle == 0 || middle >= end || self.ends[middle] != end {
            return;
        }
        self.ends[start] = end;
        self.ends[middle] = 0;
        self.starts[end] = start;
        if start > 0 {
            self.offer(self.starts[start], end);
        }
        if end < self.piece.len() {
            self.offer(start, self.ends[end]);
        }
    }

    fn offer(&mut self, start: usize, end: usize) {
        if let Some(id) = token(&self.piece[start..end]) {
            self.heap.push(Reverse((id, start, end)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(piece: &[u8]) {
        let bpe = &bpe_openai::o200k_base().bpe;
        let theirs = bpe.encode_via_backtracking(piece);
        let shown = || String::from_utf8_lossy(&piece[..piece.len().min(200)]).into_owned();
        assert_eq!(encode(piece), theirs, "{} bytes: {}", piece.len(), shown());
        assert_eq!(merge_all(piece), theirs, "{} bytes: {}", piece.len(), shown());
        assert_eq!(count(piece), theirs.len(), "{} bytes: {}", piece.len(), shown());
    }

    #[test]
    fn every_token_is_one() {
        let bpe = &bpe_openai::o200k_base().bpe;
        for id in 0..u32::try_from(bpe.num_tokens()).unwrap() {
            assert_eq!(merge_all(bpe.token_bytes(id)), [id]);
        }
    }

    /// Tests pieces of every length up to where parts meet, with few and with many different characters.
    #[test]
    fn pieces_are_merged_as_the_vocabulary_says() {
        const SIGNS: [&[u8]; 6] =
            [b"ab", b" -=", b"etaoinshrdlu", b"\x00\xff\xe6\x97\xa5", b"XQZjkvwy", b"-"];
        let mut seed = 11_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize
        };
        let lengths = (0..=MAX_SHORT_BYTES + 40).chain([
            400,
            PART_BYTES - 1,
            PART_BYTES,
            PART_BYTES + 1,
            2 * PART_BYTES + 77,
            5 * PART_BYTES,
        ]);
        for length in lengths {
            for signs in SIGNS {
                let piece: Vec<u8> = (0..length).map(|_| signs[next() % signs.len()]).collect();
                check(&piece);
            }
        }
    }

    #[test]
    fn rows_are_merged_as_the_vocabulary_says() {
        for row in ["ab", "-=", "the ", "日本", "\n ", "=", "xyz0"] {
            for length in [1, 2, 7, 40, 500, 3_000] {
                check(row.repeat(length).as_bytes());
            }
        }
    }
}

//! Splits a text where no token spans the boundary, so that its parts can be counted separately.

use std::ops::Range;

use crate::tokens::split::is_boundary;

/// The minimum length of a part except the last, in bytes.
const MIN_PART_BYTES: usize = 1 << 10;

/// The number of bytes in front of a boundary that determine whether the text is split there.
const WINDOW_BYTES: usize = 8;

/// One of 2 to the power of this many safe boundaries is used, on average.
const RARITY_BITS: u32 = 9;

/// The parts of a text. Their token counts add up to the count of the whole text.
///
/// Only the bytes at a boundary determine whether the text is split there. So a text that grows, or changes in one
/// place, keeps the same parts everywhere else.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at_checked(part_end(rest.as_bytes()))?;
        rest = after;
        Some(part).filter(|part| !part.is_empty())
    })
}

/// The parts in which two texts differ. No token spans the ends of these parts, so the difference between the token
/// counts of the texts equals the difference between the token counts of the parts.
#[must_use]
pub fn difference<'t>(one: &'t str, two: &'t str) -> (&'t str, &'t str) {
    let (one_bytes, two_bytes) = (one.as_bytes(), two.as_bytes());
    let (first, second) = differing_after(common_start(one_bytes, two_bytes), one_bytes, two_bytes);
    (&one[first], &two[second])
}

/// The number of bytes at the start of two texts that are equal.
#[must_use]
pub fn common_start(one: &[u8], two: &[u8]) -> usize {
    let long = one.len().min(two.len());
    // The beginning is usually the same, so it is compared in large blocks first.
    let blocks = one[..long].chunks(LARGE_BLOCK_BYTES).zip(two[..long].chunks(LARGE_BLOCK_BYTES));
    let same = blocks.take_while(|(one, two)| one == two).map(|(one, _)| one.len()).sum::<usize>();
    let rest = one[same..long].chunks(BLOCK_BYTES).zip(two[same..long].chunks(BLOCK_BYTES));
    same + common(rest, |bytes| bytes.iter())
}

/// The ranges in which two texts differ, as in [`difference`], given the number of equal bytes at their start.
#[must_use]
pub fn differing_after(same: usize, one: &[u8], two: &[u8]) -> (Range<usize>, Range<usize>) {
    let rest = one.len().min(two.len()) - same;
    let [one_end, two_end] = [one, two].map(|bytes| bytes[bytes.len() - rest..].rchunks(BLOCK_BYTES));
    let tail = common(one_end.zip(two_end), |bytes| bytes.iter().rev());
    let start = last_boundary(one, 0, same).unwrap_or(0);
    let end = first_boundary(one, one.len() - tail, one.len()).unwrap_or(one.len());
    let left = one.len() - end;
    (start..end, start..two.len() - left)
}

/// The ranges of a text that edits affect, before and after the edits. Each edit is a range and the length of what
/// replaces it; edits must be in order and apart. No token spans the ends of these ranges.
#[must_use]
pub fn edited_ranges(text: &[u8], edits: &[(Range<usize>, usize)]) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut ranges, mut open) = (Vec::new(), None);
    let (mut floor, mut shifted) = (0, 0);
    for (at, (span, length)) in edits.iter().enumerate() {
        let start = open.take().unwrap_or_else(|| {
            let start = last_boundary(text, floor, span.start).unwrap_or(floor);
            (start, shifted + start - floor)
        });
        // `shifted` is the position in the new text that belongs to `floor` in the old one.
        let (old_end, new_end) = (span.end, shifted + (span.start - floor) + length);
        let ceiling = edits.get(at + 1).map_or(text.len(), |(next, _)| next.start);
        let end = match first_boundary(text, old_end, ceiling) {
            None if at + 1 < edits.len() => {
                open = Some(start);
                old_end
            }
            end => end.unwrap_or(text.len()),
        };
        (floor, shifted) = (end, new_end + (end - old_end));
        if open.is_none() {
            ranges.push((start.0..end, start.1..shifted));
        }
    }
    ranges
}

/// The last boundary before `end`, at or after `start`, between two bytes that stand before `end`.
fn last_boundary(text: &[u8], start: usize, end: usize) -> Option<usize> {
    (start + 1..end).rev().find(|at| is_boundary(text[at - 1], text[*at]))
}

/// The first boundary after `start`, before `end`, between two bytes that stand at or after `start`.
fn first_boundary(text: &[u8], start: usize, end: usize) -> Option<usize> {
    (start + 1..end).find(|at| is_boundary(text[at - 1], text[*at]))
}

/// The number of bytes that are compared at once.
const BLOCK_BYTES: usize = 256;
const LARGE_BLOCK_BYTES: usize = 16 << 10;

/// The number of equal bytes at the start of two sequences of blocks, reading each block in the given order.
fn common<'b, I: Iterator<Item = &'b u8>>(
    mut blocks: impl Iterator<Item = (&'b [u8], &'b [u8])>,
    bytes: impl Fn(&'b [u8]) -> I,
) -> usize {
    let mut same = 0;
    let other = blocks.find(|(one, two)| {
        let alike = one == two;
        same += if alike { one.len() } else { 0 };
        !alike
    });
    let within = |(one, two)| bytes(one).zip(bytes(two)).take_while(|(a, b)| a == b).count();
    same + other.map_or(0, within)
}

/// The end of the first part. Every byte of every body is processed here, so each is looked up only once.
fn part_end(bytes: &[u8]) -> usize {
    let Some((first, rest)) = bytes.get(MIN_PART_BYTES - 1..).and_then(<[u8]>::split_first) else {
        return bytes.len();
    };
    let mut last = KINDS[usize::from(*first)];
    for (at, byte) in rest.iter().enumerate() {
        let next = KINDS[usize::from(*byte)];
        let end = MIN_PART_BYTES + at;
        if last == Kind::Word && next == Kind::Sign && is_rare(&bytes[end - WINDOW_BYTES..end]) {
            return end;
        }
        last = next;
    }
    bytes.len()
}

/// The kind of a byte, which determines whether a boundary next to it is safe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Sign,
    Other,
}

/// The kind of each byte value. A new piece always begins between a word and a sign.
const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if is_boundary(b'a', byte) {
            kinds[byte as usize] = Kind::Sign;
        } else if is_boundary(byte, b' ') {
            kinds[byte as usize] = Kind::Word;
        }
        byte += 1;
    }
    kinds
};

/// True for one of 2 to the power of `RARITY_BITS` windows, on average.
fn is_rare(window: &[u8]) -> bool {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let word = window.first_chunk().map_or(0, |bytes: &[u8; WINDOW_BYTES]| u64::from_be_bytes(*bytes));
    word.wrapping_mul(ODD) >> (64 - RARITY_BITS) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::O200k;

    fn words(seed: u32, count: usize) -> String {
        const WORDS: [&str; 12] = [
            "it's ",
            "\"role\":\"user\",",
            "12345",
            "  \\n",
            "HTTPServer",
            "é's",
            "日本 語",
            "don'T ",
            "}]},{",
            "a\u{301}b ",
            "\n\n  x",
            "state=open; ",
        ];
        let mut seed = seed;
        let mut word = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("{}{}", WORDS[seed as usize / 7 % WORDS.len()], seed >> 20)
        };
        (0..count).map(|_| word()).collect()
    }

    #[test]
    fn parts_cost_what_the_whole_costs() {
        for seed in 0..40 {
            let text = words(seed, 4000);
            let parts: Vec<_> = parts(&text).collect();
            assert!(parts.len() > 2, "{}", parts.len());
            assert_eq!(parts.concat(), text);
            assert_eq!(parts.iter().map(|part| O200k.count(part)).sum::<usize>(), O200k.count(&text));
        }
        for text in ["", "a", "7", "é"] {
            assert_eq!(parts(text).collect::<String>(), text);
        }
    }

    #[test]
    fn texts_differ_by_as_much_as_their_differing_parts() {
        for (at, new) in [
            (0, "x"),
            (1, "é's"),
            (5000, "12345"),
            (5001, ""),
            (20_000, " }],\"tool\":{"),
            (usize::MAX, "end"),
        ] {
            let one = words(7, 4000);
            let at = (0..=at.min(one.len())).rev().find(|at| one.is_char_boundary(*at)).unwrap();
            let two = format!("{}{new}{}", &one[..at], &one[at..]);
            let (before, after) = difference(&one, &two);
            assert!(before.len() < 200, "{before}");
            let tokens = |text: &str| O200k.count(text);
            assert_eq!(tokens(&two) + tokens(before), tokens(&one) + tokens(after), "{new} at {at}");
        }
        assert_eq!(difference("abc", "abc"), ("abc", "abc"));
        assert_eq!(difference("", "x"), ("", "x"));
    }

    #[test]
    fn edits_change_the_count_by_as_much_as_the_ranges_they_affect() {
        for (seed, step) in [(1, 3), (2, 40), (3, 700), (4, 9000)] {
            let one = words(seed, 400);
            let cut = |at: usize| (0..=at.min(one.len())).rev().find(|at| one.is_char_boundary(*at)).unwrap();
            let (mut two, mut from, mut edits) = (String::new(), 0, Vec::new());
            for (turn, at) in (step..one.len()).step_by(step * 2).enumerate() {
                let span = cut(at).max(from)..cut(at + step / 2).max(from);
                let new = ["", "it's", "\"}]", "12 34"][turn % 4];
                two.push_str(&one[from..span.start]);
                two.push_str(new);
                from = span.end;
                edits.push((span, new.len()));
            }
            two.push_str(&one[from..]);
            let (mut before, mut after) = (O200k.count(&one), 0);
            let mut last = 0;
            for (old, new) in edited_ranges(one.as_bytes(), &edits) {
                assert!(old.start >= last, "in order and apart");
                before -= O200k.count(&one[old.clone()]);
                after += O200k.count(&two[new]);
                last = old.end;
            }
            assert_eq!(before + after, O200k.count(&two), "{seed}");
        }
        assert!(edited_ranges(b"abc", &[]).is_empty());
        assert_eq!(edited_ranges(b"abc", &[(1..2, 5)]), [(0..3, 0..7)]);
    }

    #[test]
    fn a_change_leaves_most_parts_as_they_were() {
        let (text, end) = (words(1, 40_000), words(2, 500));
        let before: std::collections::HashSet<_> = parts(&text).collect();
        let changed = format!("{}{end}{}{end}", &text[..1], &text[1..]);
        let after: Vec<_> = parts(&changed).collect();
        let known = after.iter().filter(|part| before.contains(*part)).count();
        assert!(known + 12 > after.len() && after.len() > 40, "{known} of {}", after.len());
    }
}

//! Finds phrases as byte sequences of a few fixed lengths that occur in several places.

use crate::form::dictionary::pick::{Hashes, Phrase, group};

/// Phrase lengths in bytes.
const PHRASE_BYTES: [usize; 7] = [15, 24, 32, 48, 64, 96, 120];

/// Finds all frequent phrases of every length in `PHRASE_BYTES`. No phrase crosses a line end.
pub(super) fn find(text: &str) -> Vec<Phrase> {
    let hashes = Hashes::of(text.bytes().map(u64::from));
    let ends = line_ends(text);
    PHRASE_BYTES
        .into_iter()
        .flat_map(|length| group(text, length, starts(text, &hashes, &ends, length)))
        .collect()
}

/// The positions at which a phrase of `length` bytes may start, with the hashes of those phrases.
fn starts(text: &str, hashes: &Hashes, ends: &[usize], length: usize) -> Vec<(u64, usize)> {
    let whole = |at: &usize| text.is_char_boundary(*at) && text.is_char_boundary(at + length);
    let last = text.len().saturating_sub(length);
    let fits = |at: &usize| at + length <= ends[*at];
    (0..=last)
        .filter(|at| at + length <= text.len() && fits(at) && whole(at))
        .map(|at| (hashes.part(at, length), at))
        .collect()
}

/// For every byte, the end of the line that contains it.
fn line_ends(text: &str) -> Vec<usize> {
    let line = |end: usize, line: &str| std::iter::repeat_n(end, line.len());
    let mut at = 0;
    let mut ends = Vec::with_capacity(text.len() + 1);
    for part in text.split_inclusive('\n') {
        at += part.len();
        ends.extend(line(at - usize::from(part.ends_with('\n')), part));
    }
    ends.push(at);
    ends
}

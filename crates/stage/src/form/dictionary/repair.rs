//! Finds phrases as sequences of whole tokens. Their lengths are those that merging pairs of tokens would produce.

use crate::form::dictionary::pick::{Hashes, Phrase, group};

/// Phrase lengths in tokens: the lengths reached by merging pairs, and steps between them.
const PHRASE_TOKENS: [usize; 9] = [2, 3, 4, 6, 8, 12, 16, 24, 32];

/// The minimum and maximum length of a phrase in bytes.
const MIN_BYTES: usize = 15;
const MAX_BYTES: usize = 120;

/// The maximum number of line ends in a phrase.
const MAX_NEWLINES: usize = 2;

/// Finds all frequent phrases of every length in `PHRASE_TOKENS`.
pub(super) fn find(text: &str) -> Vec<Phrase> {
    let tokens = tokens(text);
    let hashes = Hashes::of(tokens.windows(2).map(|pair| hash(&text[pair[0]..pair[1]])));
    PHRASE_TOKENS.into_iter().flat_map(|count| phrases(text, &tokens, &hashes, count)).collect()
}

/// The start of every token, and the end of the last one.
fn tokens(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut before = None;
    for (at, character) in text.char_indices() {
        let kind = kind(character);
        // A space belongs to the word after it.
        if before.is_some_and(|before| before != kind && before != Kind::Space || kind == Kind::Other) {
            starts.push(at);
        }
        before = Some(kind);
    }
    starts.push(text.len());
    starts.dedup();
    starts
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Space,
    Other,
}

fn kind(character: char) -> Kind {
    match character {
        ' ' => Kind::Space,
        _ if character.is_alphanumeric() => Kind::Word,
        _ => Kind::Other,
    }
}

fn hash(token: &str) -> u64 {
    token
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The frequent phrases of `count` tokens.
fn phrases(text: &str, tokens: &[usize], hashes: &Hashes, count: usize) -> Vec<Phrase> {
    let mut by_length: Vec<Vec<(u64, usize)>> = vec![Vec::new(); MAX_BYTES + 1];
    for (first, ends) in tokens.windows(count + 1).enumerate() {
        let (start, length) = (ends[0], ends[count] - ends[0]);
        if (MIN_BYTES..=MAX_BYTES).contains(&length) && fits(&text[start..start + length]) {
            by_length[length].push((hashes.part(first, count), start));
        }
    }
    by_length.into_iter().enumerate().flat_map(|(length, starts)| group(text, length, starts)).collect()
}

fn fits(phrase: &str) -> bool {
    let newlines = phrase.bytes().filter(|byte| *byte == b'\n').count();
    newlines <= MAX_NEWLINES && !phrase.contains('\r')
}

//! Abbreviates hashes in long lists of branches, tags, trees and objects.

use crate::lines;
use crate::signal;

/// Lists with fewer hashes are shown unchanged.
const MIN_HASHES: usize = 16;

/// The number of digits in a full hash, and in a short one that still identifies its object.
const FULL_HASH_DIGITS: usize = 40;
const SHORT_HASH_DIGITS: usize = 12;

/// Words that distinguish git's lists from other text with hashes.
pub(super) const WORDS: [&str; 8] =
    ["refs/", " blob ", " commit\t", " commit ", " tag\t", " tag ", " tree ", "origin/"];

/// The list with short hashes; `None` when the text is not such a list, or has few hashes.
pub(super) fn shorten(text: &str) -> Option<String> {
    let lines = || lines::lines(text).filter(|line| !line.trim().is_empty());
    let listed = |line: &&str| hash(line).is_some() && WORDS.iter().any(|word| line.contains(word));
    let (all, listed) = (lines().count(), lines().filter(listed).count());
    if listed < MIN_HASHES || listed * 10 < all * 9 {
        return None;
    }
    let (mut out, mut cut) = (String::with_capacity(text.len()), 0);
    for line in lines::split_inclusive(text) {
        match hash(line).filter(|_| signal::find(line.trim_end()).is_none()) {
            Some(at) => {
                out.extend([&line[..at + SHORT_HASH_DIGITS], &line[at + FULL_HASH_DIGITS..]]);
                cut += 1;
            }
            None => out.push_str(line),
        }
    }
    Some(format!("[{cut} hashes cut to {SHORT_HASH_DIGITS} characters, the rest of each left out]\n{out}"))
}

/// The position of the first full hash of a line.
fn hash(line: &str) -> Option<usize> {
    let mut at = 0;
    for word in line.split([' ', '\t', '\n']) {
        if word.len() == FULL_HASH_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(at);
        }
        at += word.len() + 1;
    }
    None
}

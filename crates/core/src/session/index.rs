//! Finds the places where earlier results show a line.
//!
//! For every hash there is a chain of places, latest first, as in LZ77 compressors. Callers compare the lines
//! themselves, so the hash is fast rather than strong.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::session::shown_result::ShownResult;

/// The lines of all results that references may lead to.
#[derive(Default)]
pub(super) struct Index {
    /// The latest entry for a hash.
    latest: HashMap<u64, usize, BuildHasherDefault<IdentityHasher>>,
    entries: Vec<Entry>,
}

/// A line, and the previous entry with the same hash. Consecutive lines have consecutive entries.
struct Entry {
    hash: u64,
    place: LinePlace,
    previous: Option<usize>,
}

/// A line of an earlier result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinePlace {
    pub(super) shown: usize,
    pub(super) line: usize,
}

/// The minimum length of a line in the index, in bytes. Shorter lines occur everywhere, and are found next to longer
/// ones.
const MIN_LINE_BYTES: usize = 6;

/// The minimum length, in bytes, of a single line that may be worth a reference.
const MIN_LONE_BYTES: usize = 80;

/// The maximum number of places to try for one line.
const MAX_PLACES: usize = 24;

impl Index {
    /// Adds the lines of a result.
    pub(super) fn add(&mut self, shown: usize, text: &ShownResult) {
        self.entries.reserve(text.lines.len());
        for (at, line) in text.lines.iter().enumerate() {
            let content = line.content(&text.text);
            let hash = hash(content.as_bytes());
            let is_indexed = is_long_enough(content) && !line.is_reference;
            let previous = if is_indexed { self.latest.insert(hash, self.entries.len()) } else { None };
            self.entries.push(Entry { hash, place: LinePlace { shown, line: at }, previous });
        }
    }

    /// The latest places of line `at` that also have one of its neighbours next to them; a long line needs no
    /// neighbour. `hashes` has one hash for each line of the text.
    pub(super) fn places<'i>(
        &'i self,
        hashes: &'i [u64],
        at: usize,
        content: &str,
    ) -> impl Iterator<Item = LinePlace> + use<'i> {
        let hash = |at: Option<usize>| hashes.get(at?);
        let theirs = |at: Option<usize>| self.entries.get(at?).map(|entry| &entry.hash);
        let (back, ahead) = (hash(at.checked_sub(1)), hash(Some(at + 1)));
        let alone = content.len() >= MIN_LONE_BYTES;
        let latest = if is_long_enough(content) { self.latest.get(&hashes[at]) } else { None };
        std::iter::successors(latest.copied(), |found| self.entries[*found].previous)
            .take(MAX_PLACES)
            .filter(move |found| {
                let near = ahead.is_some() && ahead == theirs(Some(found + 1));
                alone || near || back.is_some() && back == theirs(found.checked_sub(1))
            })
            .map(|found| self.entries[found].place)
    }
}

/// True when a line is long enough for the index.
fn is_long_enough(content: &str) -> bool {
    content.trim().len() >= MIN_LINE_BYTES
}

/// A hash of `bytes`, computed eight bytes at a time.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64, word: u64| (state.rotate_left(26) ^ word).wrapping_mul(ODD);
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(ODD, |state, word| mix(state, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = mix(state, u64::from_le_bytes(last) ^ bytes.len() as u64);
    state ^ (state >> 29)
}

/// A hasher for keys that are hashes already.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

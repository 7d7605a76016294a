//! Finds the places where a line stands.
//!
//! A chain of places for every hash, the latest first, as compressors have it. Whoever finds a place compares what
//! stands there, so a hash may be quick rather than strong.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::session::shown::Shown;

/// The lines of all texts that can be named.
#[derive(Default)]
pub(super) struct Index {
    /// The latest entry for a hash.
    latest: HashMap<u64, usize, BuildHasherDefault<AsIs>>,
    entries: Vec<Entry>,
}

/// A line, and the entry of the one before it with the same hash. Lines that follow each other have entries that do.
struct Entry {
    hash: u64,
    place: LinePlace,
    before: Option<usize>,
}

/// A line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinePlace {
    pub(super) shown: usize,
    pub(super) line: usize,
}

/// Shorter lines stand everywhere; they are found beside longer ones.
const MIN_LINE: usize = 6;

/// A line of so many bytes may be worth a reference by itself.
const ALONE: usize = 80;

/// The most places that are looked at.
const MAX_PLACES: usize = 24;

impl Index {
    /// Adds the lines of a text that can be named.
    pub(super) fn add(&mut self, shown: usize, text: &Shown) {
        self.entries.reserve(text.lines.len());
        for (at, line) in text.lines.iter().enumerate() {
            let content = line.content(&text.text);
            let hash = hash(content.as_bytes());
            let found = tells(content) && !line.is_reference;
            let before = if found { self.latest.insert(hash, self.entries.len()) } else { None };
            self.entries.push(Entry { hash, place: LinePlace { shown, line: at }, before });
        }
    }

    /// The latest places where line `at` of those with these hashes may stand, beside a line that stands beside it.
    pub(super) fn places<'i>(
        &'i self,
        hashes: &'i [u64],
        at: usize,
        content: &str,
    ) -> impl Iterator<Item = LinePlace> + use<'i> {
        let hash = |at: Option<usize>| hashes.get(at?);
        let theirs = |at: Option<usize>| self.entries.get(at?).map(|entry| &entry.hash);
        let (back, ahead) = (hash(at.checked_sub(1)), hash(Some(at + 1)));
        let alone = content.len() >= ALONE;
        let latest = if tells(content) { self.latest.get(&hashes[at]) } else { None };
        std::iter::successors(latest.copied(), |found| self.entries[*found].before)
            .take(MAX_PLACES)
            .filter(move |found| {
                let near = ahead.is_some() && ahead == theirs(Some(found + 1));
                alone || near || back.is_some() && back == theirs(found.checked_sub(1))
            })
            .map(|found| self.entries[found].place)
    }
}

/// True of lines that are worth being found.
fn tells(content: &str) -> bool {
    content.trim().len() >= MIN_LINE
}

/// A hash of bytes, eight at a time.
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

/// Takes a hash for what it is.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
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

//! Selects the phrases that are worth a name.

use std::collections::BinaryHeap;

/// A phrase and its occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) length: usize,
    /// The starts of the occurrences, in order and without overlap.
    pub(super) places: Vec<usize>,
}

impl Phrase {
    pub(super) fn of<'a>(&self, text: &'a str) -> &'a str {
        self.places.first().and_then(|at| text.get(*at..at + self.length)).unwrap_or_default()
    }

    /// The bytes that the phrase saves. A name counts as `NAME_BYTES`, because of the tokens that it costs.
    fn saving(&self) -> usize {
        let each = self.length.saturating_sub(NAME_BYTES);
        (each * self.places.len()).saturating_sub(self.length + NAME_BYTES + ENTRY_BYTES)
    }
}

/// The cost of a name such as `<<F1:1>>`, in bytes of ordinary text.
const NAME_BYTES: usize = 20;

/// The cost of a dictionary line in addition to its phrase, in bytes.
const ENTRY_BYTES: usize = 8;

/// The maximum number of names in a dictionary.
const MAX_ENTRIES: usize = 20;

/// The minimum number of occurrences of a phrase that gets a name.
pub(super) const MIN_PLACES: usize = 3;

/// The minimum saving of a phrase in bytes.
const MIN_SAVED_BYTES: usize = 16;

/// The maximum number of phrases considered: those that save most.
const MAX_CANDIDATES: usize = 4_000;

/// Selects the phrases that save most and do not overlap.
pub(super) fn pick(text: &str, mut found: Vec<Phrase>) -> Vec<Phrase> {
    found.sort_by_key(|phrase| std::cmp::Reverse(phrase.saving()));
    found.truncate(MAX_CANDIDATES);
    let mut heap: BinaryHeap<(usize, usize)> =
        found.iter().enumerate().map(|(at, phrase)| (phrase.saving(), found.len() - at)).collect();
    let mut taken = vec![false; text.len()];
    let mut picked = Vec::new();
    while picked.len() < MAX_ENTRIES
        && let Some((saved, rank)) = heap.pop()
        && saved >= MIN_SAVED_BYTES
    {
        let at = found.len() - rank;
        // Phrases that were selected earlier may have taken some of its places.
        let Phrase { length, places } = &mut found[at];
        places.retain(|place| !overlaps(&taken[*place..*place + *length]));
        let phrase = &found[at];
        if phrase.places.len() < MIN_PLACES {
            continue;
        }
        if phrase.saving() < saved {
            heap.push((phrase.saving(), rank));
            continue;
        }
        for place in &phrase.places {
            taken[*place..*place + phrase.length].fill(true);
        }
        picked.push(phrase.clone());
    }
    picked
}

/// The minimum length of a phrase in bytes. A check of every 15th byte thus finds any overlap with a selected phrase.
const MIN_PHRASE_BYTES: usize = 15;

/// True when a selected phrase already covers part of a place.
fn overlaps(place: &[bool]) -> bool {
    place.iter().step_by(MIN_PHRASE_BYTES).any(|taken| *taken) || place.last() == Some(&true)
}

/// Groups `starts` by their hashes, and returns the phrases of `length` bytes that occur often enough.
pub(super) fn group(text: &str, length: usize, mut starts: Vec<(u64, usize)>) -> Vec<Phrase> {
    starts.sort_unstable();
    let mut found = Vec::new();
    for run in starts.chunk_by(|one, two| one.0 == two.0).filter(|run| run.len() >= MIN_PLACES) {
        let phrase = &text[run[0].1..run[0].1 + length];
        let mut places: Vec<usize> = Vec::new();
        for (_, at) in run {
            let free = places.last().is_none_or(|last| last + length <= *at);
            // Hashes may collide, so the bytes are compared too.
            if free && text.get(*at..at + length) == Some(phrase) {
                places.push(*at);
            }
        }
        if places.len() >= MIN_PLACES {
            found.push(Phrase { length, places });
        }
    }
    found
}

/// Hashes of all prefixes of a sequence, from which the hash of any part can be computed.
pub(super) struct Hashes {
    sums: Vec<u64>,
    powers: Vec<u64>,
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hashes {
    pub(super) fn of(items: impl Iterator<Item = u64>) -> Self {
        let (mut sums, mut powers) = (vec![0_u64], vec![1_u64]);
        let (mut sum, mut power) = (0_u64, 1_u64);
        for item in items {
            sum =
                sum.wrapping_mul(BASE).wrapping_add(item.wrapping_add(1).wrapping_mul(0xff51_afd7_ed55_8ccd));
            power = power.wrapping_mul(BASE);
            sums.push(sum);
            powers.push(power);
        }
        Self { sums, powers }
    }

    /// The hash of `count` items that start at `at`.
    pub(super) fn part(&self, at: usize, count: usize) -> u64 {
        self.sums[at + count].wrapping_sub(self.sums[at].wrapping_mul(self.powers[count]))
    }
}

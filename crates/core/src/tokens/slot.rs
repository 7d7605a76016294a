//! The hash table of tokens: open addressing with linear probing.

/// The number of slots; fewer than half are used.
pub(crate) const SLOTS: usize = 1 << 19;

/// A slot without a token.
pub(crate) const FREE: u32 = u32::MAX;

/// The bits of a slot that contain the token's id; the other bits contain its tag.
pub(crate) const ID_MASK: u32 = (1 << 18) - 1;

/// A hash of all bytes.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(29) ^ word).wrapping_mul(ODD);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let hash = mix(hash, rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    hash ^ hash >> 32
}

/// The first slot to try for a token.
#[expect(clippy::cast_possible_truncation, reason = "few of its bits are wanted")]
pub(crate) fn first(hash: u64) -> usize {
    hash as usize % SLOTS
}

/// The slot to try after another.
pub(crate) fn next(at: usize) -> usize {
    (at + 1) % SLOTS
}

/// A tag that rules out most other tokens without comparing their bytes. It never equals the tag of a free slot.
pub(crate) fn tag(hash: u64) -> u32 {
    let tag = (hash >> 32) as u32 & !ID_MASK;
    if tag == FREE & !ID_MASK { 0 } else { tag }
}

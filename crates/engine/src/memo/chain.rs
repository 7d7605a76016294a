//! Hashes over a conversation; each continues the previous one.

use sha2::{Digest, Sha256};

/// A hash over a conversation up to one of its results.
pub(crate) type ChainLink = [u8; 32];

/// Adds a part with its length to the hash, so that different lists of parts never produce the same input.
pub(crate) fn part(link: &mut Sha256, bytes: &[u8]) {
    link.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
    link.update(bytes);
}

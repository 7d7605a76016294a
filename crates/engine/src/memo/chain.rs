//! Hashes over a conversation, each continuing the one before.

use sha2::{Digest, Sha256};

/// A hash over a conversation up to one of its results.
pub(crate) type ChainLink = [u8; 32];

/// Adds a part with its length, so that different lists of parts never have the same input.
pub(crate) fn part(link: &mut Sha256, bytes: &[u8]) {
    link.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
    link.update(bytes);
}

//! A hash that is the same in every process and release, for the arms of sessions and the ids of results. The standard
//! library guarantees its hashes only within one release.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::FixedState;
use siphasher::sip::SipHasher13;

/// Hashes a value. Not for security: anyone can construct collisions.
#[must_use]
pub fn stable_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = SipHasher13::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hashes bytes as fast as memory is read. Only for comparisons within one process: the next release may hash
/// differently.
#[must_use]
pub fn quick_hash(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Hashes the name that a client gives a session, so that whoever knows the name finds its requests in a history.
#[must_use]
pub fn session_name(name: &[u8]) -> u64 {
    stable_hash(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A release with different hashes would move sessions to another arm.
    #[test]
    fn numbers_are_the_same_in_every_release() {
        assert_eq!(stable_hash("a text"), 0x7d0d_c5f3_98e8_9ec6);
        assert_eq!(stable_hash(&("named", "session-1")), 0xee42_7ce4_42aa_ee45);
        assert_eq!(stable_hash(&(7_u64, 9_u64)), 0x2a14_c8b2_4e26_fd21);
        assert_eq!(stable_hash(&(Some(1_usize), "", 3_u64)), 0xb84f_6a4c_b4e4_6d97);
    }
}

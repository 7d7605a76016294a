//! A number for a value that every process and every release computes alike: sessions are in groups, and results have names,
//! by such numbers. The standard library promises its own hashes only for one release.

use std::hash::{Hash, Hasher};

use siphasher::sip::SipHasher13;

/// A number that depends on all of a value. Whoever wants two values with one number can find them: it keeps no one out.
#[must_use]
pub fn stable_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = SipHasher13::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A release with other numbers would move every session into another group.
    #[test]
    fn numbers_are_the_same_in_every_release() {
        assert_eq!(stable_hash("a text"), 0x7d0d_c5f3_98e8_9ec6);
        assert_eq!(stable_hash(&("named", "session-1")), 0xee42_7ce4_42aa_ee45);
        assert_eq!(stable_hash(&(7_u64, 9_u64)), 0x2a14_c8b2_4e26_fd21);
        assert_eq!(stable_hash(&(Some(1_usize), "", 3_u64)), 0xb84f_6a4c_b4e4_6d97);
    }
}

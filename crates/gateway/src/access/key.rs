//! The keys of tenants, of which only hashes are stored.

use std::fmt;
use std::str::FromStr;

use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use tersely_account::ShownName;

use crate::error::Error;

/// The prefix of new keys, so that a leaked key can be recognized.
const PREFIX: &str = "tersely_";

/// The SHA-256 hash of a key. Keys are random, so the hash reveals nothing about them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash of a key.
    #[must_use]
    pub fn of(key: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, key).as_ref());
        Self(hash)
    }

    /// Compares two hashes in constant time.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
    }
}

impl fmt::Display for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The input may be a key by mistake, so no error message repeats it.
impl FromStr for KeyHash {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let fault = || "is not the SHA-256 hash of a key (64 hex digits); `tersely config key` prints a key and its hash";
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let digits: Option<Vec<u8>> = word.as_bytes().iter().map(digit).collect();
        let digits = digits.filter(|digits| digits.len() == 64).ok_or_else(fault)?;
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Self(hash))
    }
}

/// A key of a tenant: its hash, and the name under which it is reported.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TenantKey {
    /// The name; without one, the key is reported by the first digits of its hash.
    pub name: Option<ShownName>,
    /// The hash.
    pub hash: KeyHash,
}

/// How many digits of a hash name a key: enough to find it in the settings.
const SHOWN_DIGITS: usize = 8;

impl TenantKey {
    /// The name under which the key is reported; never the key itself.
    pub(crate) fn label(&self) -> Option<ShownName> {
        self.name.clone().or_else(|| ShownName::of(&self.hash.to_string()[..SHOWN_DIGITS]))
    }
}

impl From<KeyHash> for TenantKey {
    fn from(hash: KeyHash) -> Self {
        Self { name: None, hash }
    }
}

/// A hash, or a name and a hash: `ci:9f8a…`.
impl FromStr for TenantKey {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let Some((name, hash)) = word.split_once(':') else { return Ok(word.parse::<KeyHash>()?.into()) };
        let hash = hash.trim_start().parse()?;
        let name = ShownName::of(name.trim_end())
            .ok_or("the name of a key may contain only letters, digits, \".\", \"-\" and \"_\"")?;
        Ok(Self { name: Some(name), hash })
    }
}

/// A new key and its hash. The key is a secret: it is shown once and never stored.
pub struct AccessKey {
    /// The key that a client sends.
    pub key: String,
    /// The hash that the settings contain.
    pub hash: KeyHash,
}

impl AccessKey {
    /// Generates a random key.
    ///
    /// # Errors
    /// Fails if the system provides no random numbers.
    pub fn random() -> Result<Self, Error> {
        let mut bytes = [0; 32];
        let fault = |_| Error::setting("the system provides no random numbers");
        SystemRandom::new().fill(&mut bytes).map_err(fault)?;
        let key = format!("{PREFIX}{}", KeyHash(bytes));
        Ok(Self { hash: KeyHash::of(key.as_bytes()), key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_reported_by_its_name_or_by_its_hash() {
        let hash = KeyHash::of(b"key");
        let shown = |word: &str| {
            word.parse::<TenantKey>().map(|key| (key.label().map(|name| name.to_string()), key.hash == hash))
        };
        assert_eq!(shown(&hash.to_string()), Ok((Some("2c70e12b".to_owned()), true)));
        assert_eq!(shown(&format!("ci: {hash}")), Ok((Some("ci".to_owned()), true)));
        for word in ["ci:", "ci", &format!("c i:{hash}"), &format!(":{hash}"), &format!("a:b:{hash}")] {
            assert!(shown(word).is_err_and(|why| !why.contains(&hash.to_string())), "{word}");
        }
    }

    #[test]
    fn a_hash_is_written_and_read_as_other_programs_do() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(KeyHash::of(b"").to_string(), empty);
        for text in [empty.to_owned(), empty.to_uppercase()] {
            assert!(text.parse::<KeyHash>().unwrap().is(&KeyHash::of(b"")));
        }
        for text in ["", "e3", &empty[1..], &format!("{empty}0"), &empty.replace('e', "g"), "ключ"] {
            assert!(
                text.parse::<KeyHash>().is_err_and(|why| text.is_empty() || !why.contains(text)),
                "{text}"
            );
        }
    }

    /// Behaviour 23.3.
    #[test]
    fn one_bit_makes_another_key() {
        let hash = KeyHash::of(b"key");
        for at in 0..256 {
            let mut other = hash;
            other.0[at / 8] ^= 1 << (at % 8);
            assert!(!hash.is(&other), "bit {at}");
        }
        assert!(hash.is(&KeyHash::of(b"key")));
    }

    #[test]
    fn no_two_keys_are_the_same() {
        let (one, other) = (AccessKey::random().unwrap(), AccessKey::random().unwrap());
        assert_ne!(one.key, other.key);
        assert_eq!(one.key.len(), PREFIX.len() + 64);
        assert!(one.hash.is(&KeyHash::of(one.key.as_bytes())));
    }
}

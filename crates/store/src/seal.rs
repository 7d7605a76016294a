//! Encrypts a text for the name of one key with AES-256-GCM, and decrypts it.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

use crate::StoreSecret;

/// The version of the layout, which is the first byte of a sealed text. A nonce, the ciphertext and a tag follow.
const LAYOUT: u8 = 1;

/// The number of bytes in front of the ciphertext.
const HEAD_BYTES: usize = 1 + NONCE_LEN;

/// The number of bytes that sealing adds to a text.
pub(crate) const SEAL_BYTES: usize = HEAD_BYTES + 16;

/// Encrypts `text` for `name`; `None` when the system provides no random bytes.
pub(crate) fn seal(secret: &StoreSecret, name: &str, text: &str) -> Option<Vec<u8>> {
    let mut nonce = [0; NONCE_LEN];
    SystemRandom::new().fill(&mut nonce).ok()?;
    let mut sealed = Vec::with_capacity(text.len() + SEAL_BYTES);
    sealed.push(LAYOUT);
    sealed.extend_from_slice(&nonce);
    sealed.extend_from_slice(text.as_bytes());
    let nonce = Nonce::assume_unique_for_key(nonce);
    let tag =
        key(secret, name)?.seal_in_place_separate_tag(nonce, aad(name), &mut sealed[HEAD_BYTES..]).ok()?;
    sealed.extend_from_slice(tag.as_ref());
    Some(sealed)
}

/// Decrypts a text that was sealed for `name`; `None` if it was truncated, changed, moved to another name or sealed
/// with another secret.
pub(crate) fn open(secret: &StoreSecret, name: &str, mut sealed: Vec<u8>) -> Option<String> {
    let (&layout, rest) = sealed.split_first()?;
    let nonce = Nonce::assume_unique_for_key(*rest.first_chunk::<NONCE_LEN>()?);
    if layout != LAYOUT {
        return None;
    }
    let length = key(secret, name)?.open_within(nonce, aad(name), &mut sealed, HEAD_BYTES..).ok()?.len();
    sealed.truncate(length);
    String::from_utf8(sealed).ok()
}

fn key(secret: &StoreSecret, name: &str) -> Option<LessSafeKey> {
    UnboundKey::new(&AES_256_GCM, &secret.key(name)).ok().map(LessSafeKey::new)
}

/// The additional data that the tag authenticates: the layout and the name.
fn aad(name: &str) -> Aad<Vec<u8>> {
    Aad::from([&[LAYOUT], name.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(word: &str) -> StoreSecret {
        StoreSecret::new(word.repeat(32).as_bytes()).unwrap()
    }

    #[test]
    fn what_was_sealed_opens_to_the_same_text() {
        for text in ["", "a", "grüße\0\r\n", &"line\n".repeat(100_000)] {
            let sealed = seal(&secret("a"), "name", text).unwrap();
            assert_eq!(sealed.len(), text.len() + SEAL_BYTES);
            assert_eq!(open(&secret("a"), "name", sealed).as_deref(), Some(text));
        }
    }

    #[test]
    fn nothing_but_the_sealed_bytes_under_their_name_opens() {
        let secrets = (secret("a"), secret("b"));
        let sealed = seal(&secrets.0, "name", "a text").unwrap();
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(open(&secrets.0, "name", changed), None, "bit {bit} of byte {at}");
            }
            assert_eq!(open(&secrets.0, "name", sealed[..at].to_vec()), None, "cut at {at}");
        }
        assert_eq!(open(&secrets.0, "name", [&sealed[..], b"x"].concat()), None);
        assert_eq!(open(&secrets.0, "other", sealed.clone()), None);
        assert_eq!(open(&secrets.1, "name", sealed.clone()), None);
        assert_eq!(open(&secrets.0, "name", sealed).as_deref(), Some("a text"));
    }

    #[test]
    fn a_sealed_text_shows_nothing_and_never_looks_the_same() {
        let [one, two] = [0; 2].map(|_| seal(&secret("a"), "name", "swordfish").unwrap());
        assert_ne!(one, two);
        assert!(!one.windows(4).any(|part| b"swordfish".windows(4).any(|word| word == part)));
    }
}

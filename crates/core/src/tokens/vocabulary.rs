//! Looks tokens up in the tables that the build wrote.

use crate::tokens::slot;

const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.bytes"));
const STARTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.starts"));
const SLOTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.slots"));

/// The most bytes that a token has.
const LONGEST: usize = 128;

/// The token of these bytes. The lower its id, the sooner two tokens are merged into it.
#[inline]
pub(super) fn token(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > LONGEST {
        return None;
    }
    let hash = slot::hash(bytes);
    let (mark, mut at) = (slot::mark(hash), slot::first(hash));
    loop {
        let found = word(SLOTS, at);
        if found == slot::FREE {
            return None;
        }
        if found & !slot::ID == mark && text(found & slot::ID) == bytes {
            return Some(found & slot::ID);
        }
        at = slot::next(at);
    }
}

/// The bytes of a token.
pub(super) fn text(token: u32) -> &'static [u8] {
    let [start, end] = [token, token + 1].map(|id| word(STARTS, id as usize) as usize);
    BYTES.get(start..end).unwrap_or_default()
}

#[inline]
fn word(table: &[u8], at: usize) -> u32 {
    table.as_chunks().0.get(at).map_or(slot::FREE, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_by_its_bytes() {
        let bpe = &bpe_openai::o200k_base().bpe;
        for id in 0..u32::try_from(bpe.num_tokens()).unwrap() {
            let bytes = bpe.token_bytes(id);
            assert!(bytes.len() <= LONGEST, "{id}");
            assert_eq!((text(id), token(bytes)), (bytes, Some(id)));
        }
        for other in ["", "\u{1}\u{2}", "no such token", "\u{10ffff}"] {
            assert_eq!(token(other.as_bytes()), None, "{other:?}");
        }
        assert_eq!(token(&[b'a'; LONGEST + 1]), None);
    }
}

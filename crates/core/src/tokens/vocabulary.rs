//! Looks up tokens. The tables are built in a few milliseconds at the first count, from the tokens' bytes and lengths:
//! stored in the program, they would be most of its size.

use std::sync::LazyLock;

use crate::tokens::slot;

const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.bytes"));
const LENGTHS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.lengths"));

/// The length of the longest token, in bytes.
const MAX_TOKEN_BYTES: usize = 128;

static TABLES: LazyLock<VocabularyTables> = LazyLock::new(VocabularyTables::new);

struct VocabularyTables {
    /// The offset of each token in the concatenated bytes of all tokens, and the end of the last one.
    starts: Vec<u32>,
    /// The slots of the hash table.
    slots: Vec<u32>,
}

impl VocabularyTables {
    fn new() -> Self {
        let ends = LENGTHS.iter().scan(0, |end, length| {
            *end += u32::from(*length);
            Some(*end)
        });
        let starts: Vec<_> = std::iter::once(0).chain(ends).collect();
        let mut tables = Self { starts, slots: vec![slot::FREE; slot::SLOTS] };
        for id in (0..).take(LENGTHS.len()) {
            tables.place(id);
        }
        tables
    }

    fn place(&mut self, id: u32) {
        let hash = slot::hash(self.text(id));
        let mut at = slot::first(hash);
        while self.slot(at) != slot::FREE {
            at = slot::next(at);
        }
        self.slots[at] = slot::tag(hash) | id;
    }

    #[inline]
    fn slot(&self, at: usize) -> u32 {
        self.slots.get(at).copied().unwrap_or(slot::FREE)
    }

    #[inline]
    fn text(&self, id: u32) -> &'static [u8] {
        let [start, end] = [id, id + 1].map(|id| self.starts.get(id as usize).map_or(0, |&at| at as usize));
        BYTES.get(start..end).unwrap_or_default()
    }
}

/// The id of the token with these bytes. Pairs with a lower id merge first.
#[inline]
pub(super) fn token(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > MAX_TOKEN_BYTES {
        return None;
    }
    let (tables, hash) = (&*TABLES, slot::hash(bytes));
    let (tag, mut at) = (slot::tag(hash), slot::first(hash));
    loop {
        let found = tables.slot(at);
        if found == slot::FREE {
            return None;
        }
        if found & !slot::ID_MASK == tag && tables.text(found & slot::ID_MASK) == bytes {
            return Some(found & slot::ID_MASK);
        }
        at = slot::next(at);
    }
}

/// The bytes of a token.
pub(super) fn text(token: u32) -> &'static [u8] {
    TABLES.text(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_by_its_bytes() {
        let bpe = &bpe_openai::o200k_base().bpe;
        for id in 0..u32::try_from(bpe.num_tokens()).unwrap() {
            let bytes = bpe.token_bytes(id);
            assert!(bytes.len() <= MAX_TOKEN_BYTES, "{id}");
            assert_eq!((text(id), token(bytes)), (bytes, Some(id)));
        }
        for other in ["", "\u{1}\u{2}", "no such token", "\u{10ffff}"] {
            assert_eq!(token(other.as_bytes()), None, "{other:?}");
        }
        assert_eq!(token(&[b'a'; MAX_TOKEN_BYTES + 1]), None);
    }
}

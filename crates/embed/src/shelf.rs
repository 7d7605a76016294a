//! Keeps omitted texts of conversations that a provider stores: a later request names such a conversation only by id.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tersely_engine::KeptOriginal;

/// The maximum size of all texts together. The oldest are dropped first.
const MAX_BYTES: usize = 64 << 20;

/// Omitted texts by owner and id.
#[derive(Debug, Default)]
pub(crate) struct TextShelf {
    texts: Mutex<KeptTexts>,
}

#[derive(Debug, Default)]
struct KeptTexts {
    texts: VecDeque<(String, KeptOriginal)>,
    bytes: usize,
}

impl TextShelf {
    /// Keeps these texts of an owner.
    pub(crate) fn keep(&self, owner: &str, kept: &[KeptOriginal]) {
        let mut all = self.lock();
        for original in kept {
            if all.texts.iter().any(|(whose, other)| whose == owner && other.id == original.id) {
                continue;
            }
            all.bytes += original.text.len();
            all.texts.push_back((owner.to_owned(), original.clone()));
        }
        while all.bytes > MAX_BYTES {
            let Some((_, oldest)) = all.texts.pop_front() else { break };
            all.bytes -= oldest.text.len();
        }
    }

    /// The text of an owner with this id.
    pub(crate) fn find(&self, owner: &str, id: &str) -> Option<String> {
        let texts = self.lock();
        let found = texts.texts.iter().find(|(whose, kept)| whose == owner && kept.id == id);
        found.map(|(_, kept)| kept.text.clone())
    }

    fn lock(&self) -> MutexGuard<'_, KeptTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(id: usize, bytes: usize) -> KeptOriginal {
        KeptOriginal { id: format!("shadow_{id}"), text: "x".repeat(bytes), stage: "excerpt" }
    }

    /// Behaviour 27.5.
    #[test]
    fn the_oldest_texts_make_room_for_new_ones() {
        let shelf = TextShelf::default();
        for id in 0..10 {
            shelf.keep("a", &[kept(id, MAX_BYTES / 4), kept(id, MAX_BYTES / 4)]);
        }
        assert!(shelf.find("a", "shadow_5").is_none() && shelf.find("a", "shadow_6").is_some());
        assert!(shelf.find("a", "shadow_9").is_some() && shelf.lock().bytes <= MAX_BYTES);
        shelf.keep("b", &[kept(9, 1)]);
        assert!(shelf.find("b", "shadow_8").is_none(), "another owner's");
        shelf.keep("a", &[kept(10, MAX_BYTES + 1)]);
        let shelf = shelf.lock();
        assert_eq!((shelf.texts.len(), shelf.bytes), (0, 0));
    }
}

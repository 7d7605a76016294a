//! Keeps omitted texts of conversations that a provider stores: a later request names such a conversation only by id.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tersely_engine::KeptOriginal;

/// The maximum size of all texts together. The oldest are dropped first.
const MAX_BYTES: usize = 64 << 20;

/// Omitted texts by id.
#[derive(Debug, Default)]
pub(crate) struct TextShelf {
    texts: Mutex<KeptTexts>,
}

#[derive(Debug, Default)]
struct KeptTexts {
    texts: VecDeque<KeptOriginal>,
    bytes: usize,
}

impl TextShelf {
    /// Keeps these texts.
    pub(crate) fn keep(&self, kept: &[KeptOriginal]) {
        let mut all = self.lock();
        for original in kept {
            if all.texts.iter().any(|other| other.id == original.id) {
                continue;
            }
            all.bytes += original.text.len();
            all.texts.push_back(original.clone());
        }
        while all.bytes > MAX_BYTES {
            let Some(oldest) = all.texts.pop_front() else { break };
            all.bytes -= oldest.text.len();
        }
    }

    /// The text with this id.
    pub(crate) fn find(&self, id: &str) -> Option<String> {
        self.lock().texts.iter().find(|kept| kept.id == id).map(|kept| kept.text.clone())
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

    #[test]
    fn the_oldest_texts_make_room_for_new_ones() {
        let shelf = TextShelf::default();
        for id in 0..10 {
            shelf.keep(&[kept(id, MAX_BYTES / 4), kept(id, MAX_BYTES / 4)]);
        }
        assert!(shelf.find("shadow_5").is_none() && shelf.find("shadow_6").is_some());
        assert!(shelf.find("shadow_9").is_some() && shelf.lock().bytes <= MAX_BYTES);
        shelf.keep(&[kept(10, MAX_BYTES + 1)]);
        let shelf = shelf.lock();
        assert_eq!((shelf.texts.len(), shelf.bytes), (0, 0));
    }
}

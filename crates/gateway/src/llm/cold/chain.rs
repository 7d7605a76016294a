//! Recognises a conversation by one hash of its messages up to each.

use std::sync::Arc;

use tersely_account::{PartMark, PromptMarks, stable_hash};

/// The number of messages by which a conversation is found. They contain words of the model, which nobody can guess, and
/// no conversation is cleared that is as short as that.
const KEY_MESSAGES: usize = 12;

/// The hashes of a request's messages, each of all up to it.
pub(super) struct MessageChain {
    marks: Arc<PromptMarks>,
    hashes: Vec<u64>,
}

impl MessageChain {
    pub(super) fn of(marks: &Arc<PromptMarks>) -> Self {
        let chain = |before: &mut u64, mark: &PartMark| {
            *before = stable_hash(&(*before, mark.hash));
            Some(*before)
        };
        Self { hashes: marks.messages.iter().scan(0, chain).collect(), marks: Arc::clone(marks) }
    }

    /// The hash by which the conversation is found; `None` if it is too short to be cleared.
    pub(super) fn key(&self) -> Option<u64> {
        self.hashes.get(KEY_MESSAGES - 1).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The hash of the first `messages` messages.
    pub(super) fn hash(&self, messages: usize) -> Option<u64> {
        self.hashes.get(messages.checked_sub(1)?).copied()
    }

    /// The number of turns that the model has made after the first `messages` messages.
    pub(super) fn turns_since(&self, messages: usize) -> usize {
        let marks = &self.marks.messages;
        let begins = |at: &usize| marks[*at].is_model && (*at == 0 || !marks[*at - 1].is_model);
        (messages.min(marks.len())..marks.len()).filter(begins).count()
    }
}

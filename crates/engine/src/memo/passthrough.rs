//! Remembers conversations that were sent uncompressed for lack of time, so that they stay uncompressed.
//!
//! The provider's prompt cache contains them uncompressed. If they were compressed later, the provider would charge the
//! full price again. Only this process remembers them; another process would compress them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};
use tersely_wire::Slot;

use crate::memo::chain::{ChainLink, part};

/// The maximum number of conversations that are remembered, over all clients.
const MAX_CONVERSATIONS: usize = 1024;

/// Hashes of the conversations that were sent uncompressed, the most recent last.
#[derive(Default)]
pub(crate) struct SentPlain(Mutex<VecDeque<ChainLink>>);

impl SentPlain {
    /// Remembers that results were sent uncompressed.
    pub(crate) fn keep(&self, whose: &[u8], slots: &[Slot<'_>]) {
        let Some(last) = chain(whose, slots).last() else { return };
        let mut links = self.links();
        links.retain(|link| *link != last);
        links.push_back(last);
        if links.len() > MAX_CONVERSATIONS {
            links.pop_front();
        }
    }

    /// The number of results at the start of `slots` that were sent uncompressed before.
    pub(crate) fn count(&self, whose: &[u8], slots: &[Slot<'_>]) -> usize {
        let chain: Vec<ChainLink> = chain(whose, slots).collect();
        let links = self.links();
        chain.iter().rposition(|link| links.contains(link)).map_or(0, |last| last + 1)
    }

    /// True while there are no such conversations, which is the usual case.
    pub(crate) fn is_empty(&self) -> bool {
        self.links().is_empty()
    }

    fn links(&self) -> MutexGuard<'_, VecDeque<ChainLink>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A hash for each result, over that result and all results before it.
fn chain<'s>(whose: &[u8], slots: &'s [Slot<'_>]) -> impl Iterator<Item = ChainLink> + use<'s> {
    let mut link = Sha256::new();
    part(&mut link, whose);
    slots.iter().map(move |slot| {
        part(&mut link, slot.token);
        link.clone().finalize().into()
    })
}

#[cfg(test)]
mod tests {
    use tersely_wire::PROVIDERS;

    use super::*;
    use crate::memo::Memo;
    use crate::memo::Recall;

    fn body(results: &[&str]) -> Vec<u8> {
        let result =
            |text: &&str| format!(r#"{{"type":"tool_result","tool_use_id":"a","content":"{text}"}}"#);
        let results: Vec<_> = results.iter().map(result).collect();
        format!(r#"{{"messages":[{{"role":"user","content":[{}]}}]}}"#, results.join(",")).into_bytes()
    }

    fn check(memo: &Memo, whose: &[u8], results: &[&str], expected: usize) {
        assert_eq!(Recall { memo, whose }.plain(&PROVIDERS[0].read(&body(results))), expected, "{results:?}");
    }

    #[test]
    fn a_conversation_is_known_by_its_beginning_and_its_client() {
        let memo = Memo::default();
        check(&memo, b"me", &["one", "two"], 0);
        Recall { memo: &memo, whose: b"me" }.keep_plain(&PROVIDERS[0].read(&body(&["one", "two"])));
        check(&memo, b"me", &["one", "two"], 2);
        check(&memo, b"me", &["one", "two", "three"], 2);
        check(&memo, b"me", &["one"], 0);
        check(&memo, b"me", &["one", "other", "three"], 0);
        check(&memo, b"you", &["one", "two"], 0);
        Recall { memo: &memo, whose: b"me" }.keep_plain(&PROVIDERS[0].read(&body(&["one", "two", "three"])));
        check(&memo, b"me", &["one", "two", "three", "four"], 3);
    }

    #[test]
    fn what_has_no_results_is_not_remembered_and_the_oldest_goes_first() {
        let memo = Memo::default();
        let recall = Recall { memo: &memo, whose: b"me" };
        recall.keep_plain(&PROVIDERS[0].read(&body(&[])));
        recall.keep_plain(&PROVIDERS[0].read(b"no json"));
        assert_eq!(memo.plain.links().len(), 0);
        for number in 0..=MAX_CONVERSATIONS {
            recall.keep_plain(&PROVIDERS[0].read(&body(&[&number.to_string()])));
        }
        check(&memo, b"me", &["0"], 0);
        check(&memo, b"me", &["1"], 1);
        assert_eq!(memo.plain.links().len(), MAX_CONVERSATIONS);
    }
}

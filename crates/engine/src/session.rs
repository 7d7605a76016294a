//! Detects results that changed under the same call id within a named session.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};

use tersely_wire::Slot;

/// The maximum number of sessions, and of results in each; the oldest are dropped first.
const MAX_SESSIONS: usize = 64;
const MAX_RESULTS: usize = 128;

/// The latest sessions, with hashes of their results.
#[derive(Default)]
pub(crate) struct Sessions {
    state: RandomState,
    known: VecDeque<(u64, Session)>,
}

#[derive(Default)]
struct Session {
    texts: HashMap<u64, u64>,
    order: VecDeque<u64>,
}

impl Sessions {
    /// For each result, whether the same call id had another text or other settings before.
    pub(crate) fn find_changed(
        &mut self,
        whose: &[u8],
        session: &str,
        results: &[(&Slot<'_>, String)],
    ) -> Vec<bool> {
        let key = self.state.hash_one((whose, session));
        let place = self.known.iter().position(|(known, _)| *known == key);
        let (_, mut known) = place.and_then(|place| self.known.remove(place)).unwrap_or_default();
        let changed = results.iter().map(|(slot, settings)| {
            let name = self.state.hash_one((&*slot.call.id, slot.is_error));
            !slot.call.id.is_empty() && known.put(name, self.state.hash_one((slot.token, settings)))
        });
        let changed = changed.collect();
        self.known.push_back((key, known));
        self.known.drain(..self.known.len().saturating_sub(MAX_SESSIONS));
        changed
    }
}

impl Session {
    /// Stores a text under this name. True when a different text was stored there before.
    fn put(&mut self, name: u64, text: u64) -> bool {
        if let Some(before) = self.texts.insert(name, text) {
            return before != text;
        }
        self.order.push_back(name);
        if self.order.len() > MAX_RESULTS
            && let Some(oldest) = self.order.pop_front()
        {
            self.texts.remove(&oldest);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 5.1.
    #[test]
    fn only_the_latest_results_of_the_latest_sessions_are_known() {
        let mut session = Session::default();
        for name in 0..1_000 {
            assert!(!session.put(name, 1));
        }
        assert_eq!((session.texts.len(), session.order.len()), (MAX_RESULTS, MAX_RESULTS));
        assert!(session.put(999, 2) && !session.put(0, 2), "the oldest are forgotten first");
        let mut sessions = Sessions::default();
        for name in 0..1_000 {
            assert!(sessions.find_changed(b"a", &name.to_string(), &[]).is_empty());
        }
        assert_eq!(sessions.known.len(), MAX_SESSIONS);
    }
}

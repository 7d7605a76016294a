//! Remembers conversations, so that a request that continues one costs only what is new in it.
//!
//! The memo stores what would otherwise be computed again, so a request gets the same bytes with and without it. A
//! conversation is found by its client and by everything that determines how results are compressed; then its bytes are
//! compared with those of the request.

pub(crate) mod chain;
pub(crate) mod known_part;
pub(crate) mod passthrough;
pub(crate) mod past;

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tersely_wire::{Provider, Reading, Slot};

use crate::memo::known_part::ContinuedPast;
use crate::memo::passthrough::SentPlain;
use crate::memo::past::Past;
use crate::scope::Scope;
use crate::session::Sessions;

/// The latest conversations.
#[derive(Default)]
pub struct Memo {
    state: RandomState,
    entries: Mutex<MemoEntries>,
    sessions: Mutex<Sessions>,
    pub(crate) plain: SentPlain,
    limits: MemoLimits,
}

/// Conversations, the most recent last.
#[derive(Default)]
struct MemoEntries {
    pasts: VecDeque<MemoEntry>,
    bytes: usize,
}

/// A conversation with its key and its size in bytes.
struct MemoEntry {
    key: u64,
    bytes: usize,
    past: Arc<Past>,
}

/// The size of a memo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoLimits {
    /// The maximum number of conversations.
    pub conversations: usize,
    /// The approximate maximum size of all conversations, in bytes.
    pub bytes: usize,
}

impl Default for MemoLimits {
    fn default() -> Self {
        Self { conversations: 64, bytes: 64 << 20 }
    }
}

/// The access of one client to a memo.
#[derive(Clone, Copy)]
pub struct Recall<'r> {
    /// The memo.
    pub memo: &'r Memo,
    /// Identifies the client. Clients do not share entries.
    pub whose: &'r [u8],
}

impl Memo {
    /// A memo of limited size.
    #[must_use]
    pub fn new(limits: MemoLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    fn entries(&self) -> MutexGuard<'_, MemoEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recall<'_> {
    /// The key of a client's conversations that are treated alike.
    pub(crate) fn key(&self, scope: &Scope<'_>, provider: &Provider, path: &str) -> u64 {
        let hides = provider.hides(path).is_some();
        self.memo.state.hash_one((self.whose, provider.name(), hides, scope.treatment()))
    }

    /// The longest conversation with this key that a request continues.
    pub(crate) fn find(&self, key: u64, scope: &Scope<'_>, reading: &Reading<'_>) -> Option<ContinuedPast> {
        let known: Vec<Arc<Past>> = {
            let entries = self.memo.entries();
            let fits = entries.pasts.iter().filter(|entry| entry.key == key);
            fits.map(|entry| Arc::clone(&entry.past)).collect()
        };
        let continued = known.into_iter().filter_map(|past| {
            let same = past.continued_by(reading, scope.answers)?;
            Some(ContinuedPast { key, past, same })
        });
        continued.max_by_key(|continued| continued.past.slots.len())
    }

    /// Makes a conversation the most recent one.
    pub(crate) fn touch(&self, past: &Arc<Past>) {
        let mut entries = self.memo.entries();
        if let Some(place) = entries.pasts.iter().rposition(|entry| Arc::ptr_eq(&entry.past, past)) {
            let entry = entries.pasts.remove(place);
            entries.pasts.extend(entry);
        }
    }

    /// Removes a conversation.
    fn forget(&self, past: &Arc<Past>) {
        let mut entries = self.memo.entries();
        if let Some(place) = entries.pasts.iter().rposition(|entry| Arc::ptr_eq(&entry.past, past)) {
            entries.remove(place);
        }
    }

    /// Remembers a conversation in place of an earlier state of it, and evicts the oldest conversations if needed.
    pub(crate) fn keep(&self, key: u64, past: Past, earlier: Option<&Arc<Past>>) {
        if let Some(earlier) = earlier {
            self.forget(earlier);
        }
        let bytes = past.bytes();
        let MemoLimits { conversations, bytes: max_bytes } = self.memo.limits;
        if bytes > max_bytes / 2 {
            return;
        }
        let mut entries = self.memo.entries();
        entries.bytes += bytes;
        entries.pasts.push_back(MemoEntry { key, bytes, past: Arc::new(past) });
        while entries.pasts.len() > conversations || entries.bytes > max_bytes {
            entries.remove(0);
        }
    }

    /// For each result of a named session, whether it has changed since an earlier request with the same call id.
    pub(crate) fn changed_results(&self, scope: &Scope<'_>, slots: &[Slot<'_>]) -> Vec<bool> {
        let Some(session) = &scope.options.session.id else { return Vec::new() };
        let treatment = |slot: &Slot<'_>| {
            let tool = &slot.call.tool;
            format!("{} {:?}", scope.skips(tool), scope.plan(tool))
        };
        let results: Vec<_> = slots.iter().map(|slot| (slot, treatment(slot))).collect();
        let mut sessions = self.memo.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.find_changed(self.whose, session, &results)
    }

    /// Remembers that a body was sent uncompressed.
    pub fn keep_plain(&self, reading: &Reading<'_>) {
        self.memo.plain.keep(self.whose, reading.slots());
    }

    /// The number of results at the start of a body that were sent uncompressed before.
    #[must_use]
    pub fn plain(&self, reading: &Reading<'_>) -> usize {
        if self.memo.plain.is_empty() { 0 } else { self.memo.plain.count(self.whose, reading.slots()) }
    }
}

impl MemoEntries {
    fn remove(&mut self, place: usize) {
        if let Some(entry) = self.pasts.remove(place) {
            self.bytes -= entry.bytes;
        }
    }
}

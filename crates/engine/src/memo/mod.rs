//! Remembers conversations, so that a request that continues one needs to compress only its new results.
//!
//! The memo stores what compression would otherwise compute again, so a request gets the same bytes with and without
//! it. A conversation is found by a chain of hashes over everything that determines the texts sent for its results: a
//! longer conversation continues a shorter one, and a conversation that differs anywhere is not found.

pub(crate) mod chain;
pub(crate) mod passthrough;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use tersely_wire::{Provider, Slot};

use crate::conversation::Conversation;
use crate::filled_slot::FilledSlot;
use crate::memo::chain::{ChainLink, part};
use crate::memo::passthrough::SentPlain;
use crate::scope::Scope;
use crate::session::Sessions;
use crate::token_count::BodyTokens;

/// The latest conversations.
#[derive(Default)]
pub struct Memo {
    entries: Mutex<MemoEntries>,
    sessions: Mutex<Sessions>,
    pub(crate) plain: SentPlain,
    tokens: BodyTokens,
    limits: MemoLimits,
}

/// Conversations by the hash of their last result, the most recent last.
#[derive(Default)]
struct MemoEntries {
    pasts: VecDeque<(ChainLink, usize, Past)>,
    bytes: usize,
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

/// A conversation so far.
pub(crate) struct Past {
    /// The texts that were sent for its results.
    pub(crate) filled: Vec<FilledSlot>,
    /// The results that the model has seen.
    pub(crate) conversation: Conversation,
}

impl Past {
    /// A conversation without results.
    pub(crate) fn new(scope: &Scope<'_>) -> Self {
        Self { filled: Vec::new(), conversation: Conversation::new(scope) }
    }

    fn bytes(&self) -> usize {
        let notes = |filled: &FilledSlot| {
            filled.report.record.results.iter().map(|result| result.bytes()).sum::<usize>()
        };
        let sent = |filled: &FilledSlot| {
            size_of::<FilledSlot>() + notes(filled) + filled.sent.as_ref().map_or(0, String::len)
        };
        self.conversation.bytes() + self.filled.iter().map(sent).sum::<usize>()
    }
}

impl Memo {
    /// A memo of limited size.
    #[must_use]
    pub fn new(limits: MemoLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, MemoEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recall<'_> {
    /// The running hash of the conversation after each result.
    pub(crate) fn links(&self, scope: &Scope<'_>, slots: &[Slot<'_>]) -> Vec<ChainLink> {
        let mut link = Sha256::new();
        part(&mut link, self.whose);
        let Scope { options, max_loss, plain_results, frozen_messages, refers, .. } = scope;
        let strategy = &scope.settings.strategy;
        part(
            &mut link,
            format!(
                "{:?} {max_loss:?} {plain_results} {frozen_messages} {refers} {strategy:?}",
                options.session
            )
            .as_bytes(),
        );
        slots.iter().enumerate().map(|(at, slot)| next(&mut link, scope, at, slot)).collect()
    }

    /// For each result of a named session, whether it has changed since an earlier request with the same call id.
    pub(crate) fn changed_results(&self, scope: &Scope<'_>, slots: &[Slot<'_>]) -> Vec<bool> {
        let Some(session) = &scope.options.session.id else { return Vec::new() };
        let results: Vec<_> = slots.iter().map(|slot| (slot, treatment(scope, slot))).collect();
        let mut sessions = self.memo.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.find_changed(self.whose, session, &results)
    }

    /// The number of tokens in a whole body. Parts that were counted before are not counted again.
    pub(crate) fn count_tokens(&self, body: &[u8]) -> usize {
        self.memo.tokens.count(self.whose, body)
    }

    /// Remembers that a body was sent uncompressed.
    pub fn keep_plain(&self, provider: &Provider, body: &[u8]) {
        self.memo.plain.keep(self.whose, &provider.slots(body).unwrap_or_default());
    }

    /// The number of results at the start of a body that were sent uncompressed before.
    #[must_use]
    pub fn plain(&self, provider: &Provider, body: &[u8]) -> usize {
        if self.memo.plain.is_empty() {
            return 0;
        }
        self.memo.plain.count(self.whose, &provider.slots(body).unwrap_or_default())
    }

    /// Takes the longest conversation that these hashes continue out of the memo. It is rare that two requests continue
    /// the same conversation; the second one then starts without a memo.
    pub(crate) fn take(&self, links: &[ChainLink]) -> Option<Past> {
        let mut entries = self.memo.entries();
        let place =
            links.iter().rev().find_map(|link| entries.pasts.iter().rposition(|(it, ..)| it == link))?;
        let (_, bytes, past) = entries.pasts.remove(place)?;
        entries.bytes -= bytes;
        Some(past)
    }

    /// Remembers a conversation up to this result, and evicts the oldest conversations if needed.
    pub(crate) fn keep(&self, link: ChainLink, past: Past) {
        let bytes = past.bytes();
        let MemoLimits { conversations, bytes: max_bytes } = self.memo.limits;
        if bytes > max_bytes / 2 {
            return;
        }
        let mut entries = self.memo.entries();
        entries.bytes += bytes;
        entries.pasts.push_back((link, bytes, past));
        while entries.pasts.len() > conversations || entries.bytes > max_bytes {
            let Some((_, bytes, _)) = entries.pasts.pop_front() else { return };
            entries.bytes -= bytes;
        }
    }
}

/// The hash after one more result. It covers the result's text, its call, its treatment, and a remote compressor's
/// answer.
fn next(link: &mut Sha256, scope: &Scope<'_>, at: usize, slot: &Slot<'_>) -> ChainLink {
    let call = &slot.call;
    part(link, slot.token);
    let answer = scope.answers.and_then(|answers| answers.at(at));
    part(link, format!("{answer:?}").as_bytes());
    part(link, call.id.as_bytes());
    part(link, call.tool.as_bytes());
    part(link, call.command.as_deref().unwrap_or_default().as_bytes());
    part(
        link,
        format!("{} {:?} {}", slot.is_error, (call.command.is_some(), call.is_part), treatment(scope, slot))
            .as_bytes(),
    );
    link.clone().finalize().into()
}

/// Everything that determines how a result is compressed, as one string.
fn treatment(scope: &Scope<'_>, slot: &Slot<'_>) -> String {
    let tool = &slot.call.tool;
    format!("{} {:?}", scope.skips(tool), scope.plan(tool))
}

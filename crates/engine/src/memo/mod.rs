//! Remembers conversations, so that a request that goes on with one only costs what is new in it.
//!
//! What is remembered is a function of what was sent, so a request gets the same bytes with and without. A conversation
//! is found by a chain of hashes over everything that decided what became of its results: a longer one goes on where a
//! shorter one ended, and one that differs anywhere is not found at all.

pub(crate) mod chain;
pub(crate) mod passthrough;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use tersely_wire::{Provider, Slot};

use crate::conversation::Conversation;
use crate::filled::Filled;
use crate::memo::chain::{ChainLink, part};
use crate::memo::passthrough::SentPlain;
use crate::scope::Scope;
use crate::session::Sessions;
use crate::token_count::BodyTokens;

/// Conversations that are going on, the latest last.
#[derive(Default)]
pub struct Memo {
    kept: Mutex<Kept>,
    sessions: Mutex<Sessions>,
    pub(crate) plain: SentPlain,
    scale: BodyTokens,
    most: MemoLimits,
}

#[derive(Default)]
struct Kept {
    pasts: VecDeque<(ChainLink, usize, Past)>,
    bytes: usize,
}

/// How much is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoLimits {
    /// Conversations.
    pub conversations: usize,
    /// Bytes of all of them, about.
    pub bytes: usize,
}

impl Default for MemoLimits {
    fn default() -> Self {
        Self { conversations: 64, bytes: 64 << 20 }
    }
}

/// A memo as one client may use it.
#[derive(Clone, Copy)]
pub struct Recall<'r> {
    /// The memo.
    pub memo: &'r Memo,
    /// Who the client is: what one has said is not there for another.
    pub whose: &'r [u8],
}

/// A conversation so far.
pub(crate) struct Past {
    /// What became of its results.
    pub(crate) filled: Vec<Filled>,
    /// What it has shown.
    pub(crate) conversation: Conversation,
}

impl Past {
    /// A conversation in which nothing was said yet.
    pub(crate) fn new(scope: &Scope<'_>) -> Self {
        Self { filled: Vec::new(), conversation: Conversation::new(scope) }
    }

    fn bytes(&self) -> usize {
        let notes =
            |filled: &Filled| filled.report.record.results.iter().map(|result| result.bytes()).sum::<usize>();
        let sent = |filled: &Filled| {
            size_of::<Filled>() + notes(filled) + filled.sent.as_ref().map_or(0, String::len)
        };
        self.conversation.bytes() + self.filled.iter().map(sent).sum::<usize>()
    }
}

impl Memo {
    /// Remembers at most so much.
    #[must_use]
    pub fn new(most: MemoLimits) -> Self {
        Self { most, ..Self::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recall<'_> {
    /// The hashes of a conversation, one after each result.
    pub(crate) fn links(&self, scope: &Scope<'_>, slots: &[Slot<'_>]) -> Vec<ChainLink> {
        let mut link = Sha256::new();
        part(&mut link, self.whose);
        let Scope { asked, most, plain, frozen, refers, .. } = scope;
        let strategy = &scope.settings.strategy;
        part(
            &mut link,
            format!("{:?} {most:?} {plain} {frozen} {refers} {strategy:?}", asked.session).as_bytes(),
        );
        slots.iter().enumerate().map(|(at, slot)| next(&mut link, scope, at, slot)).collect()
    }

    /// Which results of a named session are not what they were under the same name before.
    pub(crate) fn changed(&self, scope: &Scope<'_>, slots: &[Slot<'_>]) -> Vec<bool> {
        let Some(session) = &scope.asked.session.id else { return Vec::new() };
        let results: Vec<_> = slots.iter().map(|slot| (slot, treated(scope, slot))).collect();
        let mut sessions = self.memo.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.changed(self.whose, session, &results)
    }

    /// The tokens of a whole body, of which parts that were counted before are not counted again.
    pub(crate) fn weigh(&self, body: &[u8]) -> usize {
        self.memo.scale.weigh(self.whose, body)
    }

    /// Takes note that a body was sent as it came.
    pub fn keep_plain(&self, provider: &dyn Provider, body: &[u8]) {
        self.memo.plain.keep(self.whose, &provider.slots(body).unwrap_or_default());
    }

    /// How many results of a body were sent as they came before, from its first on.
    #[must_use]
    pub fn plain(&self, provider: &dyn Provider, body: &[u8]) -> usize {
        if self.memo.plain.is_empty() {
            return 0;
        }
        self.memo.plain.known(self.whose, &provider.slots(body).unwrap_or_default())
    }

    /// The longest conversation that these hashes go on with. It is taken out: two requests that go on with the same
    /// one are rare, and the second begins anew.
    pub(crate) fn take(&self, links: &[ChainLink]) -> Option<Past> {
        let mut kept = self.memo.kept();
        let place = links.iter().rev().find_map(|link| kept.pasts.iter().rposition(|(it, ..)| it == link))?;
        let (_, bytes, past) = kept.pasts.remove(place)?;
        kept.bytes -= bytes;
        Some(past)
    }

    /// Remembers a conversation up to here, and forgets the oldest ones for it.
    pub(crate) fn keep(&self, link: ChainLink, past: Past) {
        let bytes = past.bytes();
        let MemoLimits { conversations, bytes: most } = self.memo.most;
        if bytes > most / 2 {
            return;
        }
        let mut kept = self.memo.kept();
        kept.bytes += bytes;
        kept.pasts.push_back((link, bytes, past));
        while kept.pasts.len() > conversations || kept.bytes > most {
            let Some((_, bytes, _)) = kept.pasts.pop_front() else { return };
            kept.bytes -= bytes;
        }
    }
}

/// The hash after one more result: its text, its call, what is to be done with it, and what others say of it.
fn next(link: &mut Sha256, scope: &Scope<'_>, at: usize, slot: &Slot<'_>) -> ChainLink {
    let call = &slot.call;
    part(link, slot.token);
    let agreed = scope.agreed.and_then(|agreed| agreed.at(at));
    part(link, format!("{agreed:?}").as_bytes());
    part(link, call.id.as_bytes());
    part(link, call.tool.as_bytes());
    part(link, call.command.as_deref().unwrap_or_default().as_bytes());
    part(
        link,
        format!("{} {:?} {}", slot.is_error, (call.command.is_some(), call.is_part), treated(scope, slot))
            .as_bytes(),
    );
    link.clone().finalize().into()
}

/// All that is to be done with a result, in one spelling.
fn treated(scope: &Scope<'_>, slot: &Slot<'_>) -> String {
    let tool = &slot.call.tool;
    format!("{} {:?}", scope.skips(tool), scope.plan(tool))
}

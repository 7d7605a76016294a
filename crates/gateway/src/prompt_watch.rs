//! Remembers the prompts of the latest conversations by hashes, and finds out why a request was not read from the
//! provider's cache.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use http::header::HeaderMap;
use tersely_account::{
    CacheRules, ConversationMatch, Price, PromptBreak, PromptMarks, PromptTurn, TokenUsage, judge,
    stable_hash,
};
use tersely_wire::{PromptContext, Provider, Reading, prompt_marks};

/// The maximum number of conversations, and their approximate maximum size in bytes.
const MAX_CONVERSATIONS: usize = 128;
const MAX_BYTES: usize = 16 << 20;

/// The header with the names of beta features.
const BETAS: &str = "anthropic-beta";

/// The latest conversations of all clients.
#[derive(Default)]
pub(crate) struct PromptWatch(Mutex<WatchedPrompts>);

/// Conversations, the most recent last.
#[derive(Default)]
struct WatchedPrompts {
    conversations: VecDeque<WatchedPrompt>,
    bytes: usize,
}

/// The latest request of a conversation.
struct WatchedPrompt {
    whose: u64,
    turn: PromptTurn,
    at: Instant,
    bytes: usize,
}

/// A request on its way to the provider.
#[derive(Clone)]
pub(crate) struct PromptSighting {
    watch: Arc<PromptWatch>,
    whose: u64,
    provider: &'static str,
    at: Instant,
    came: Arc<PromptMarks>,
    sent: Arc<PromptMarks>,
}

impl fmt::Debug for PromptSighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PromptSighting")
    }
}

impl PromptSighting {
    /// The sighting of a request that is forwarded as it came; `None` if nothing can be said about it.
    pub(crate) fn of(
        watch: &Arc<PromptWatch>,
        whose: u64,
        provider: &'static Provider,
        context: &PromptContext<'_>,
        reading: &Reading<'_>,
    ) -> Option<Self> {
        let known = watch.candidates(whose, |turn| &turn.came);
        let came = Arc::new(prompt_marks(context, reading, &known)?);
        Some(Self {
            watch: Arc::clone(watch),
            whose,
            provider: provider.name(),
            at: Instant::now(),
            sent: Arc::clone(&came),
            came,
        })
    }

    /// The same, if another body is forwarded.
    pub(crate) fn with_sent(self, context: &PromptContext<'_>, reading: &Reading<'_>) -> Self {
        let known = self.watch.candidates(self.whose, |turn| &turn.sent);
        let sent = prompt_marks(context, reading, &known).map_or_else(|| Arc::clone(&self.came), Arc::new);
        Self { sent, ..self }
    }

    /// Remembers the request, and returns the break of the cache if there was one. `usage` is that of its first round.
    pub(crate) fn end(
        &self,
        model: Option<&str>,
        usage: Option<TokenUsage>,
        price: Option<&Price>,
    ) -> Option<PromptBreak> {
        let turn = PromptTurn { came: Arc::clone(&self.came), sent: Arc::clone(&self.sent), usage };
        let (before, at) = self.watch.replace(self.whose, self.at, turn.clone())?;
        let idle = self.at.saturating_duration_since(at).as_millis();
        let rules = CacheRules::of(self.provider, model.unwrap_or_default());
        let mut found = judge(rules, &before, &turn, i64::try_from(idle).unwrap_or(i64::MAX))?;
        found.cost =
            price.zip(usage).zip(found.lost).map(|((price, usage), lost)| price.miss_cost(&usage, lost));
        Some(found)
    }
}

impl PromptWatch {
    /// The marks of a client's latest conversations.
    fn candidates(
        &self,
        whose: u64,
        marks: impl Fn(&PromptTurn) -> &Arc<PromptMarks>,
    ) -> Vec<Arc<PromptMarks>> {
        let prompts = self.prompts();
        let own = prompts.conversations.iter().filter(|prompt| prompt.whose == whose);
        own.map(|prompt| Arc::clone(marks(&prompt.turn))).collect()
    }

    /// Puts a request in the place of the one before it in its conversation, which is returned.
    fn replace(&self, whose: u64, at: Instant, turn: PromptTurn) -> Option<(PromptTurn, Instant)> {
        let mut prompts = self.prompts();
        let own = prompts.conversations.iter().enumerate().filter(|(_, prompt)| prompt.whose == whose);
        let fit = |(place, prompt): (usize, &WatchedPrompt)| {
            ConversationMatch::of(&prompt.turn.came, &turn.came).map(|fit| (fit, place))
        };
        let before = own.filter_map(fit).max().and_then(|(_, place)| prompts.remove(place));
        let sent = if Arc::ptr_eq(&turn.came, &turn.sent) { 0 } else { turn.sent.bytes() };
        let bytes = turn.came.bytes() + sent;
        prompts.bytes += bytes;
        prompts.conversations.push_back(WatchedPrompt { whose, turn, at, bytes });
        while prompts.conversations.len() > MAX_CONVERSATIONS || prompts.bytes > MAX_BYTES {
            prompts.remove(0);
        }
        before.map(|prompt| (prompt.turn, prompt.at))
    }

    fn prompts(&self) -> MutexGuard<'_, WatchedPrompts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchedPrompts {
    fn remove(&mut self, place: usize) -> Option<WatchedPrompt> {
        let prompt = self.conversations.remove(place)?;
        self.bytes -= prompt.bytes;
        Some(prompt)
    }
}

/// A hash of the names of the beta features that a request asks for, in any order; 0 if there are none.
pub(crate) fn betas(headers: &HeaderMap) -> u64 {
    let values = headers.get_all(BETAS).iter().filter_map(|value| value.to_str().ok());
    let mut names: Vec<_> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    if names.is_empty() { 0 } else { stable_hash(&names) }
}

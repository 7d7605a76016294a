//! Remembers the prompts of the latest conversations by hashes, and finds out why a request was not read from the
//! provider's cache.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use http::header::HeaderMap;
use tersely_account::{
    BreakCause, CacheRules, ConversationMatch, Price, PromptBreak, PromptChange, PromptMarks, PromptTurn,
    TokenUsage, judge, stable_hash,
};
use tersely_wire::{PromptContext, Provider, Reading, prompt_marks, rewritten_marks};

/// The maximum number of conversations, and their approximate maximum size in bytes.
const MAX_CONVERSATIONS: usize = 128;
const MAX_BYTES: usize = 16 << 20;

/// The most answers that the first request after a compaction has: the summary may count as one.
const MAX_COMPACTED_ANSWERS: usize = 1;

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
    /// The number of the latest conversation.
    latest: u64,
}

/// The latest request of a conversation.
struct WatchedPrompt {
    number: u64,
    whose: u64,
    turn: PromptTurn,
    at: Instant,
    bytes: usize,
}

/// What is known about a prompt when its response has ended.
pub(crate) struct PromptVerdict {
    /// A number that all requests of a conversation have, and no other conversation in the history.
    pub(crate) conversation: u64,
    /// The break of the cache, if there was one.
    pub(crate) found: Option<PromptBreak>,
}

/// What is done when a response has ended.
pub(crate) type OnEnd = Arc<dyn Fn() + Send + Sync>;

/// A request on its way to the provider.
#[derive(Clone)]
pub(crate) struct PromptSighting {
    watch: Arc<PromptWatch>,
    whose: u64,
    provider: &'static str,
    at: Instant,
    came: Arc<PromptMarks>,
    sent: Arc<PromptMarks>,
    /// What else has to be done when the response has ended.
    on_end: Option<OnEnd>,
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
            on_end: None,
        })
    }

    /// The marks of the request as it came.
    pub(crate) fn came(&self) -> &Arc<PromptMarks> {
        &self.came
    }

    /// The same, with something else to do when the response has ended.
    pub(crate) fn with_end(self, on_end: Option<OnEnd>) -> Self {
        Self { on_end, ..self }
    }

    /// The same, if `body`, with this many results cleared, is forwarded instead of the body that was read.
    pub(crate) fn with_sent(
        self,
        provider: &'static Provider,
        context: &PromptContext<'_>,
        reading: &Reading<'_>,
        (body, cleared): (&[u8], usize),
    ) -> Self {
        let known = self.watch.candidates(self.whose, |turn| &turn.sent);
        let sent = rewritten_marks(&self.came, reading, body, &known)
            .or_else(|| prompt_marks(context, &provider.read(body), &known))
            .map_or_else(|| Arc::clone(&self.came), |sent| Arc::new(PromptMarks { cleared, ..sent }));
        Self { sent, ..self }
    }

    /// Remembers the request, and finds out whether it broke the cache. `usage` is that of its first round.
    pub(crate) fn end(
        &self,
        model: Option<&str>,
        usage: Option<TokenUsage>,
        price: Option<&Price>,
    ) -> PromptVerdict {
        if let Some(on_end) = &self.on_end {
            on_end();
        }
        let turn = PromptTurn { came: Arc::clone(&self.came), sent: Arc::clone(&self.sent), usage };
        let (conversation, before) = self.watch.replace(self.whose, self.at, turn.clone());
        let mut found = match before {
            None => compacted(&turn.came),
            Some((before, at)) => {
                let idle = self.at.saturating_duration_since(at).as_millis();
                let rules = CacheRules::of(self.provider, model.unwrap_or_default());
                judge(rules, &before, &turn, i64::try_from(idle).unwrap_or(i64::MAX))
            }
        };
        if let Some(found) = &mut found {
            found.cost =
                price.zip(usage).zip(found.lost).map(|((price, usage), lost)| price.miss_cost(&usage, lost));
        }
        PromptVerdict { conversation, found }
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

    /// Puts a request in the place of the one before it in its conversation, which is returned with its number.
    fn replace(&self, whose: u64, at: Instant, turn: PromptTurn) -> (u64, Option<(PromptTurn, Instant)>) {
        let mut prompts = self.prompts();
        let before = prompts.place_of(whose, &turn.came).and_then(|place| prompts.remove(place));
        let sent = if Arc::ptr_eq(&turn.came, &turn.sent) { 0 } else { turn.sent.bytes() };
        let bytes = turn.came.bytes() + sent;
        let number = before.as_ref().map_or_else(|| prompts.number(), |before| before.number);
        prompts.bytes += bytes;
        prompts.conversations.push_back(WatchedPrompt { number, whose, turn, at, bytes });
        while prompts.conversations.len() > MAX_CONVERSATIONS || prompts.bytes > MAX_BYTES {
            prompts.remove(0);
        }
        (number, before.map(|prompt| (prompt.turn, prompt.at)))
    }

    fn prompts(&self) -> MutexGuard<'_, WatchedPrompts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The break of a conversation's first request, if it goes on from a summary. What a compaction pays for is new.
fn compacted(marks: &PromptMarks) -> Option<PromptBreak> {
    (marks.is_compacted && answers(marks) <= MAX_COMPACTED_ANSWERS)
        .then(|| PromptChange::of(BreakCause::Compacted).into_break())
}

impl WatchedPrompts {
    /// The place of the conversation of this client that a request continues best.
    ///
    /// A platform may have all its conversations under one key, so only those are compared in full that can win.
    fn place_of(&self, whose: u64, now: &PromptMarks) -> Option<usize> {
        let own = || self.conversations.iter().enumerate().filter(|(_, prompt)| prompt.whose == whose);
        let best = |among: &mut dyn Iterator<Item = (usize, &WatchedPrompt)>| {
            let fits = among.filter_map(|(place, prompt)| {
                ConversationMatch::of(&prompt.turn.came, now).map(|fit| (fit, place))
            });
            fits.max().map(|(_, place)| place)
        };
        // Most requests repeat all that came before, which is better than any other match.
        let repeated = best(&mut own().filter(|(_, prompt)| is_repeated(&prompt.turn.came, now)));
        repeated.or_else(|| {
            let shared = SharedMessages::of(now);
            best(&mut own().filter(|(_, prompt)| shared.may_continue(&prompt.turn.came)))
        })
    }

    /// The number of a new conversation: the time in microseconds, so that a restart repeats none.
    fn number(&mut self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        self.latest = u64::try_from(now).unwrap_or_default().max(self.latest + 1);
        self.latest
    }

    fn remove(&mut self, place: usize) -> Option<WatchedPrompt> {
        let prompt = self.conversations.remove(place)?;
        self.bytes -= prompt.bytes;
        Some(prompt)
    }
}

/// True when a request has all that an earlier one had, in the same place.
fn is_repeated(before: &PromptMarks, now: &PromptMarks) -> bool {
    // The last message tells most conversations apart.
    let same = |at: usize| now.messages.get(at).is_some_and(|it| it.hash == before.messages[at].hash);
    (0..before.messages.len()).rev().all(same) && PromptChange::first(before, now).is_none()
}

/// The messages of a request, to tell whether an earlier one has any of them.
struct SharedMessages {
    /// In order: a new conversation has few messages, and is compared with many.
    hashes: Vec<u64>,
    answers: usize,
}

impl SharedMessages {
    fn of(now: &PromptMarks) -> Self {
        let mut hashes: Vec<_> = now.messages.iter().map(|message| message.hash).collect();
        hashes.sort_unstable();
        Self { hashes, answers: answers(now) }
    }

    /// False when the request is certainly not one of the conversation of `before`: only the second request of a
    /// conversation may have none of its messages.
    fn may_continue(&self, before: &PromptMarks) -> bool {
        before.messages.iter().any(|message| self.hashes.binary_search(&message.hash).is_ok())
            || self.answers == 1 && answers(before) == 0
    }
}

/// The number of messages of the model.
fn answers(marks: &PromptMarks) -> usize {
    marks.messages.iter().filter(|message| message.is_model).count()
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

#[cfg(test)]
mod tests {
    use tersely_account::{PartMark, PromptSettings, ToolMark};
    use tersely_testing::generate::Choices;

    use super::*;

    /// The marks of a conversation of this many messages; no other conversation has one of them.
    fn marks(conversation: u64, messages: usize) -> Arc<PromptMarks> {
        let mark = |at: usize| {
            let hash = stable_hash(&(conversation, at));
            PartMark { raw: hash, hash, loose: hash, bytes: 9, is_model: at % 2 == 1 }
        };
        Arc::new(PromptMarks { messages: (0..messages).map(mark).collect(), ..PromptMarks::default() })
    }

    /// Ends a request, and returns the marks of the one before it in its conversation.
    fn replace(watch: &PromptWatch, whose: u64, came: Arc<PromptMarks>) -> Option<Arc<PromptMarks>> {
        let turn = PromptTurn { sent: Arc::clone(&came), came, usage: None };
        watch.replace(whose, Instant::now(), turn).1.map(|(before, _)| before.came)
    }

    fn check(watch: &PromptWatch, whose: u64, (conversation, messages): (u64, usize), before: Option<usize>) {
        let found = replace(watch, whose, marks(conversation, messages));
        let expected = before.map(|before| marks(conversation, before));
        assert_eq!(found, expected, "conversation {conversation} of {whose}");
        let prompts = watch.prompts();
        let bytes: usize = prompts.conversations.iter().map(|prompt| prompt.bytes).sum();
        assert_eq!(prompts.bytes, bytes, "what is counted is what is there");
        assert!(prompts.bytes <= MAX_BYTES && prompts.conversations.len() <= MAX_CONVERSATIONS);
    }

    #[test]
    fn conversations_side_by_side_are_each_continued_by_their_own_requests() {
        let watch = PromptWatch::default();
        for messages in [1, 3, 5, 7] {
            for conversation in [1, 2, 3] {
                let before = (messages > 1).then(|| messages - 2);
                check(&watch, 7, (conversation, messages), before);
            }
        }
        assert_eq!(watch.prompts().conversations.len(), 3, "each is kept once");
    }

    /// Conversations that have messages, settings or nothing in common: the one that is found is the best of all.
    #[test]
    fn what_is_not_compared_would_not_have_won() {
        let mut seed = 11;
        let (mut repeated, mut changed, mut new) = (0, 0, 0);
        for _ in 0..3_000 {
            let mut prompts = WatchedPrompts::default();
            for number in 0..seed.pick(12) as u64 {
                let came = Arc::new(any_marks(&mut seed));
                let turn = PromptTurn { sent: Arc::clone(&came), came, usage: None };
                let whose = seed.pick(2) as u64;
                prompts.conversations.push_back(WatchedPrompt {
                    number,
                    whose,
                    turn,
                    at: Instant::now(),
                    bytes: 0,
                });
            }
            let at = seed.pick(12);
            let now = match prompts.conversations.get(at) {
                Some(prompt) => grown(&mut seed, &prompt.turn.came),
                None => any_marks(&mut seed),
            };
            let own = prompts.conversations.iter().enumerate().filter(|(_, prompt)| prompt.whose == 1);
            let fits =
                own.filter_map(|(at, prompt)| Some((ConversationMatch::of(&prompt.turn.came, &now)?, at)));
            let best = fits.max().map(|(_, at)| at);
            assert_eq!(prompts.place_of(1, &now), best);
            match best.map(|at| is_repeated(&prompts.conversations[at].turn.came, &now)) {
                Some(true) => repeated += 1,
                Some(false) => changed += 1,
                None => new += 1,
            }
        }
        assert!(repeated > 300 && changed > 300 && new > 300, "{repeated} {changed} {new}");
    }

    /// Marks of few different parts.
    fn any_marks(seed: &mut u64) -> PromptMarks {
        let mut part = |kinds: usize| {
            let hash = seed.pick(kinds) as u64;
            PartMark { hash, is_model: hash % 2 == 1, ..PartMark::default() }
        };
        let tools = [part(2), part(3)].map(|part| ToolMark { id: part.hash, part, name: None });
        let settings =
            PromptSettings { model: part(3).hash, effort: part(3).hash, ..PromptSettings::default() };
        let shown = usize::from(part(4).hash > 0) + usize::from(part(2).hash > 0);
        let messages = (0..part(6).hash).map(|_| part(40)).collect();
        PromptMarks { tools: tools[..shown].to_vec(), settings, messages, ..PromptMarks::default() }
    }

    /// A later request of the same conversation, or one that is almost that.
    fn grown(seed: &mut u64, before: &PromptMarks) -> PromptMarks {
        let other = any_marks(seed);
        let mut now =
            PromptMarks { messages: [&before.messages[..], &other.messages].concat(), ..before.clone() };
        match seed.pick(8) {
            0 => now.settings = other.settings,
            1 => now.tools = other.tools,
            2 if !now.messages.is_empty() => {
                let at = seed.pick(now.messages.len());
                now.messages[at].hash = 1_000;
            }
            _ => {}
        }
        now
    }

    #[test]
    fn the_same_words_of_two_tenants_are_two_conversations() {
        let watch = PromptWatch::default();
        check(&watch, 1, (5, 3), None);
        check(&watch, 2, (5, 5), None);
        check(&watch, 1, (5, 7), Some(3));
        check(&watch, 2, (5, 7), Some(5));
        assert_eq!(
            (watch.candidates(1, |turn| &turn.came).len(), watch.candidates(3, |turn| &turn.came).len()),
            (1, 0)
        );
    }

    #[test]
    fn the_conversation_that_was_silent_longest_is_forgotten_first() {
        let watch = PromptWatch::default();
        let count = MAX_CONVERSATIONS as u64;
        for conversation in 0..count {
            check(&watch, 1, (conversation, 3), None);
        }
        check(&watch, 1, (0, 5), Some(3));
        check(&watch, 2, (0, 3), None);
        check(&watch, 1, (1, 5), None);
        check(&watch, 1, (0, 7), Some(5));
        check(&watch, 1, (count - 1, 5), Some(3));
    }

    /// A client with endless prompts uses no more memory than there is, and one that is too long for it is not kept.
    #[test]
    fn long_conversations_leave_room_for_fewer() {
        let watch = PromptWatch::default();
        let messages = MAX_BYTES / 4 / size_of::<PartMark>();
        for conversation in 0..6 {
            check(&watch, 1, (conversation, messages), None);
        }
        assert!((2..=4).contains(&watch.prompts().conversations.len()));
        check(&watch, 1, (5, messages + 2), Some(messages));
        check(&watch, 1, (0, messages), None);
        check(&watch, 1, (9, MAX_BYTES / size_of::<PartMark>()), None);
        let prompts = watch.prompts();
        assert_eq!((prompts.conversations.len(), prompts.bytes), (0, 0));
    }

    /// A body that is forwarded as it came is counted once, and another one besides.
    #[test]
    fn what_was_sent_instead_is_counted_too() {
        let watch = PromptWatch::default();
        let turn = |sent| PromptTurn { came: marks(1, 3), sent, usage: None };
        let came = marks(1, 3);
        watch.replace(1, Instant::now(), PromptTurn { came: Arc::clone(&came), ..turn(Arc::clone(&came)) });
        let once = watch.prompts().bytes;
        watch.replace(1, Instant::now(), turn(marks(2, 3)));
        assert_eq!((once, watch.prompts().bytes), (came.bytes(), came.bytes() * 2));
    }

    #[test]
    fn beta_features_are_a_set_of_names() {
        let hash = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(BETAS, http::HeaderValue::from_static(value));
            }
            betas(&headers)
        };
        assert_eq!((hash(&[]), hash(&["", " , "])), (0, 0));
        let both = hash(&["a,b"]);
        for same in [&["b, a"][..], &["a", "b"], &["b", " a ,b"], &["a,,b,"]] {
            assert_eq!(hash(same), both, "{same:?}");
        }
        for other in [&["a"][..], &["ab"], &["a b"], &["a,b,c"], &["A,b"]] {
            assert_ne!(hash(other), both, "{other:?}");
        }
    }

    /// A request with these messages; odd ones are the model's.
    fn sighting(watch: &Arc<PromptWatch>, messages: &[u64], is_compacted: bool) -> PromptSighting {
        let part = |hash: &u64| PartMark { hash: *hash, is_model: hash % 2 == 1, ..PartMark::default() };
        let messages = messages.iter().map(part).collect();
        let came = Arc::new(PromptMarks { messages, is_compacted, ..PromptMarks::default() });
        let (watch, sent) = (Arc::clone(watch), Arc::clone(&came));
        PromptSighting {
            watch,
            whose: 1,
            provider: "anthropic",
            at: Instant::now(),
            came,
            sent,
            on_end: None,
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "a response may have none")]
    fn used(cache_read: u64, cache_write: u64) -> Option<TokenUsage> {
        Some(TokenUsage { cache_read, cache_write, ..TokenUsage::default() })
    }

    #[test]
    fn conversations_side_by_side_have_their_own_numbers() {
        let watch = Arc::default();
        let end =
            |messages: &[u64]| sighting(&watch, messages, false).end(None, used(0, 9), None).conversation;
        let [main, agent] = [end(&[2]), end(&[100])];
        assert_eq!((end(&[2, 3, 4]), end(&[100, 101, 102])), (main, agent));
        assert_ne!(main, agent);
    }

    #[test]
    fn a_summary_starts_a_conversation_and_says_so_once() {
        let watch = Arc::default();
        let cause = |messages: &[u64], cache_read| {
            let verdict = sighting(&watch, messages, true).end(None, used(cache_read, 2_000), None);
            verdict.found.map(|it| (it.cause, it.lost))
        };
        assert_eq!(cause(&[2, 3, 4], 9_000), Some((BreakCause::Compacted, None)));
        assert_eq!(cause(&[2, 3, 4, 5, 6], 11_000), None);
        // A client that resumes such a conversation, after the gateway was restarted.
        let watch = Arc::default();
        let resumed = sighting(&watch, &[2, 3, 4, 5, 6], true).end(None, used(0, 9), None);
        assert_eq!(resumed.found, None);
    }
}

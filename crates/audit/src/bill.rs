//! Computes the cost of a conversation: as reported, as a simulated prompt cache predicts it, and with Tersely.

use crate::fit::TokenFit;
use crate::numbers::{count, float};
use crate::recording::RecordedTurn;
use tersely_account::{CacheRules, Price, TokenUsage};

/// The cost of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ConversationBill {
    /// The usage that the provider reported, summed over all requests.
    pub billed: TokenUsage,
    /// The price of that usage, in dollars.
    pub paid: f64,
    /// The cost of the requests with reported usage, in dollars.
    pub counted: f64,
    /// The cost of the same requests with a simulated cache, in dollars, computed only from times and texts. The
    /// difference from `counted` shows how inaccurate our figures can be.
    pub simulated: f64,
    /// Like `simulated`, but with the reported cache hits for requests whose client changed earlier messages.
    pub explained: f64,
}

/// The savings with Tersely.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReducedBill {
    /// The number of removed tokens, summed over all requests.
    pub tokens: u64,
    /// The saving in dollars; negative if our own tool costs more than compression saves.
    pub dollars: f64,
    /// The number of requests in which more tokens would have been removed than the provider reported. This happens
    /// when the history contains texts that were never sent, or wrong counts. Savings are capped at the reported usage.
    pub capped: usize,
}

/// The requests of a conversation, original and compressed.
pub(crate) struct BilledTurns<'t> {
    pub(crate) rules: CacheRules,
    pub(crate) turns: &'t [RecordedTurn],
    pub(crate) fit: TokenFit,
    /// Our token count of each request's messages.
    pub(crate) ours: Vec<u64>,
    /// Our token count of what would have been removed from each request.
    pub(crate) removed: Vec<u64>,
    /// Our token count of our own tool.
    pub(crate) tool: u64,
    /// Our token count of each answer.
    pub(crate) answers: Vec<u64>,
}

impl BilledTurns<'_> {
    /// The usage of each request: as reported or, if it was not reported, simulated.
    pub(crate) fn billed(&self) -> Vec<TokenUsage> {
        let counted = |(at, simulated): (usize, TokenUsage)| {
            let billed = self.turns[at].billed.unwrap_or(simulated);
            lasting(&self.turns[at], TokenUsage { output: self.output(at), ..billed })
        };
        self.simulated(false).into_iter().enumerate().map(counted).collect()
    }

    pub(crate) fn bill(&self, price: &Price) -> ConversationBill {
        let mut bill = ConversationBill::default();
        let reckoned = self.simulated(false).into_iter().zip(self.simulated(true));
        for ((turn, billed), (simulated, explained)) in self.turns.iter().zip(self.billed()).zip(reckoned) {
            bill.billed += billed;
            let paid = price.cost(&billed).dollars();
            bill.paid += paid;
            if turn.billed.is_some() {
                bill.counted += paid;
                bill.simulated += price.cost(&simulated).dollars();
                bill.explained += price.cost(&explained).dollars();
            }
        }
        bill
    }

    /// The savings. Of the prefix that a request shares with the previous one, the reported part was read from the
    /// cache. The rest was written to the cache or read at full price.
    pub(crate) fn saved(&self, price: &Price) -> ReducedBill {
        let mut saved = ReducedBill::default();
        let (mut old_tokens, mut old_removed) = (0, 0);
        for ((turn, billed), (ours, removed)) in
            self.turns.iter().zip(self.billed()).zip(self.ours.iter().zip(&self.removed))
        {
            let hit =
                if old_tokens == 0 { 0.0 } else { (float(billed.cache_read) / float(old_tokens)).min(1.0) };
            let shared = float(self.fit.scaled(old_removed)) * hit;
            let rest = float(self.fit.scaled(*removed)) - shared;
            let fresh = float(billed.cache_write + billed.input).max(1.0);
            let written = float(billed.cache_write) / fresh;
            // Savings cannot exceed the reported usage.
            let mut with_us = TokenUsage {
                cache_read: billed.cache_read.saturating_sub(count(shared)),
                cache_write: billed.cache_write.saturating_sub(count(rest * written)),
                input: billed.input.saturating_sub(count(rest * (1.0 - written))),
                ..billed
            };
            saved.capped += usize::from(self.fit.scaled(*removed) > billed.read());
            // The tool definition comes first in the prompt, so any cache hit includes it.
            *Self::first_tokens(price, hit > 0.0, &mut with_us) += self.fit.scaled(self.tool);
            saved.dollars += (price.cost(&billed) - price.cost(&lasting(turn, with_us))).dollars();
            saved.tokens += self.fit.scaled(*removed).min(billed.read());
            (old_tokens, old_removed) = (self.fit.tokens(*ours), *removed);
        }
        saved
    }

    /// The usage field that counts the first tokens of a request.
    fn first_tokens<'u>(price: &Price, is_cached: bool, usage: &'u mut TokenUsage) -> &'u mut u64 {
        let rates = price.rates(usage.read());
        match is_cached {
            true => &mut usage.cache_read,
            false if rates.cache_write > rates.input => &mut usage.cache_write,
            false => &mut usage.input,
        }
    }

    /// The number of output tokens of an answer. Some clients record the count from when the answer began, so our count
    /// is used if it is larger.
    fn output(&self, at: usize) -> u64 {
        let counted = self.turns[at].billed.map_or(0, |billed| billed.output);
        counted.max(self.fit.scaled(self.answers.get(at).copied().unwrap_or(0)))
    }

    /// The simulated usage of each request. The first request uses the reported cache hits, because other conversations
    /// may have filled the cache. The same number of hits is assumed whenever the cache entry of the previous request
    /// has expired.
    fn simulated(&self, explains_breaks: bool) -> Vec<TokenUsage> {
        let warm = self.turns.first().and_then(|turn| turn.billed).map_or(0, |billed| billed.cache_read);
        let mut all = Vec::with_capacity(self.turns.len());
        let mut last: Option<(u64, &RecordedTurn)> = None;
        for (at, (turn, ours)) in self.turns.iter().zip(&self.ours).enumerate() {
            let tokens = self.fit.tokens(*ours);
            let broken = turn.billed.filter(|_| explains_breaks && self.is_broken(at));
            let read = match (broken, last) {
                (Some(billed), _) => billed.cache_read,
                (None, Some((before, past))) if is_kept(past, turn) => before,
                _ => warm,
            };
            all.push(lasting(
                turn,
                TokenUsage { output: self.output(at), ..self.rules.usage(tokens, read.min(tokens)) },
            ));
            last = Some((tokens, turn));
        }
        all
    }

    /// True when a request read less than half of what the previous one left in the cache, although the cache had not
    /// expired.
    pub(crate) fn is_broken(&self, at: usize) -> bool {
        let Some([past, next]) = at.checked_sub(1).and_then(|before| self.turns.get(before..=at)) else {
            return false;
        };
        let (Some(left), Some(found)) = (past.billed, next.billed) else { return false };
        // Short prompts are not cached, and small misses are not worth reporting.
        left.read() >= 4_096 && found.cache_read * 2 <= left.read() && is_kept(past, next)
    }
}

/// The usage, with cache writes of the lifetime that this request asked for.
pub(crate) fn lasting(turn: &RecordedTurn, usage: TokenUsage) -> TokenUsage {
    TokenUsage { cache_write_hour: if turn.is_long { usage.cache_write } else { 0 }, ..usage }
}

/// True if the cache entry of a request has not yet expired when the next one is sent.
pub(crate) fn is_kept(past: &RecordedTurn, next: &RecordedTurn) -> bool {
    let kept = CacheRules::lifetime_ms(past.is_long);
    match (past.at, next.at) {
        (Some(past), Some(next)) => next - past <= kept,
        _ => true,
    }
}

//! What a conversation cost, what the prompt cache should have made of it, and what it would have cost with us.

use crate::fit::TokenFit;
use crate::numbers::{count, float};
use crate::recording::RecordedTurn;
use tersely_account::{CacheRules, Price, TokenUsage};

/// What a conversation cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ConversationBill {
    /// What its provider counted, over all requests.
    pub billed: TokenUsage,
    /// Dollars for it.
    pub paid: f64,
    /// Dollars for the requests that its provider counted.
    pub counted: f64,
    /// Dollars for the same by our own reckoning of the cache, from times and texts alone. How far it is from what was
    /// counted is how far our figures can be off.
    pub simulated: f64,
    /// The same, but for requests whose client had changed what it had sent before: what those found in the cache is
    /// taken from their count.
    pub explained: f64,
}

/// What it would have cost with us.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReducedBill {
    /// Tokens that no request would have carried.
    pub tokens: u64,
    /// Dollars; less than none where our own tool costs more than it brings.
    pub dollars: f64,
    /// Requests of which more would have been taken out than their provider counted, so that only what was counted is saved:
    /// their history holds texts that were never sent, or counts that are wrong.
    pub capped: usize,
}

/// The requests of a conversation, as they are and as they would have been.
pub(crate) struct BilledTurns<'t> {
    pub(crate) rules: CacheRules,
    pub(crate) turns: &'t [RecordedTurn],
    pub(crate) fit: TokenFit,
    /// Our count of the messages of each request.
    pub(crate) ours: Vec<u64>,
    /// Our count of what would have been taken out of them.
    pub(crate) removed: Vec<u64>,
    /// Our count of our own tool.
    pub(crate) tool: u64,
    /// Our count of each answer.
    pub(crate) answers: Vec<u64>,
}

impl BilledTurns<'_> {
    /// What each request cost: as it was counted, or else by our own reckoning.
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

    /// What would have been saved. What a request shares with the one before was read from the cache as far as it was;
    /// all else was written to it or read at full price.
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
            // Nobody saves more than was paid for.
            let mut with_us = TokenUsage {
                cache_read: billed.cache_read.saturating_sub(count(shared)),
                cache_write: billed.cache_write.saturating_sub(count(rest * written)),
                input: billed.input.saturating_sub(count(rest * (1.0 - written))),
                ..billed
            };
            saved.capped += usize::from(self.fit.scaled(*removed) > billed.read());
            // The tool stands at the very beginning: where anything is read from the cache, it is.
            *Self::first_tokens(price, hit > 0.0, &mut with_us) += self.fit.scaled(self.tool);
            saved.dollars += (price.cost(&billed) - price.cost(&lasting(turn, with_us))).dollars();
            saved.tokens += self.fit.scaled(*removed).min(billed.read());
            (old_tokens, old_removed) = (self.fit.tokens(*ours), *removed);
        }
        saved
    }

    /// The count that the first tokens of a request are in.
    fn first_tokens<'u>(price: &Price, is_cached: bool, usage: &'u mut TokenUsage) -> &'u mut u64 {
        let rates = price.rates(usage.read());
        match is_cached {
            true => &mut usage.cache_read,
            false if rates.cache_write > rates.input => &mut usage.cache_write,
            false => &mut usage.input,
        }
    }

    /// What an answer came to. Some clients note what was counted when it began.
    fn output(&self, at: usize) -> u64 {
        let counted = self.turns[at].billed.map_or(0, |billed| billed.output);
        counted.max(self.fit.scaled(self.answers.get(at).copied().unwrap_or(0)))
    }

    /// What the cache should have made of each request. What the first one found is as it was counted: what others leave
    /// in the cache nobody can know. As much is found when the rest has expired.
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

    /// True when a request found less than half of what the one before had left, and not because of the time.
    pub(crate) fn is_broken(&self, at: usize) -> bool {
        let Some([past, next]) = at.checked_sub(1).and_then(|before| self.turns.get(before..=at)) else {
            return false;
        };
        let (Some(left), Some(found)) = (past.billed, next.billed) else { return false };
        // What is short is not cached, and a provider's own misses on a little are not worth a line.
        left.read() >= 4_096 && found.cache_read * 2 <= left.read() && is_kept(past, next)
    }
}

/// Usage whose cache writes last as long as this request asked for.
pub(crate) fn lasting(turn: &RecordedTurn, usage: TokenUsage) -> TokenUsage {
    TokenUsage { cache_write_hour: if turn.is_long { usage.cache_write } else { 0 }, ..usage }
}

/// True when what a request left in the cache is still there for the next.
pub(crate) fn is_kept(past: &RecordedTurn, next: &RecordedTurn) -> bool {
    let kept = CacheRules::lifetime_ms(past.is_long);
    match (past.at, next.at) {
        (Some(past), Some(next)) => next - past <= kept,
        _ => true,
    }
}

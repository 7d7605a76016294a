//! Audits the conversations of a history, one by one.

use std::collections::{BTreeMap, BTreeSet};

use tersely_account::{CacheRules, Price, TokenRates};
use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, ExpandOffer};

use crate::bill::{BilledTurns, ConversationBill, ReducedBill};
use crate::estimate::{TokenEstimate, counted};
use crate::fit::TokenFit;
use crate::numbers::count;
use crate::recording::Recording;
use crate::waste::{CacheBreak, CostlyResult, FileReads, UnusedTool, breaks, costly, reads, unused, wide};

/// Audits conversations.
pub struct Audit {
    exact: Engine,
    standard: Engine,
}

/// The audit of one conversation.
#[derive(Debug, Clone, Default)]
pub struct AuditedConversation {
    /// The name of the client.
    pub client: &'static str,
    /// The client's session id.
    pub session: String,
    /// The project folder.
    pub project: Option<String>,
    /// The model.
    pub model: String,
    /// The time when it started.
    pub at: Option<i64>,
    /// The totals of the conversation.
    pub sum: AuditSum,
    /// The most expensive results.
    pub costly: Vec<CostlyResult>,
    /// Files read more than once.
    pub reads: Vec<FileReads>,
    /// Requests that read less from the prompt cache than expected.
    pub breaks: Vec<CacheBreak>,
    /// Tools that were called.
    pub called: BTreeSet<String>,
    /// Tools that requests defined but the model never called.
    pub unused: Vec<UnusedTool>,
    /// The tokens that each stage saved, by our count. Each result is counted once.
    pub stages: Vec<(&'static str, i64)>,
}

/// Totals over conversations.
#[derive(Debug, Clone, Copy, Default)]
pub struct AuditSum {
    /// The number of conversations.
    pub conversations: usize,
    /// The number of requests.
    pub requests: usize,
    /// The number of requests for which the provider reported usage.
    pub counted: usize,
    /// The number of tool results.
    pub results: usize,
    /// The tokens of the results, by our count: original, exact, standard. Each result is counted once.
    pub result_tokens: [u64; 3],
    /// The cost.
    pub bill: ConversationBill,
    /// The number of requests to models without a known price. They do not count in the dollar amounts.
    pub unpriced: usize,
    /// The savings with lossless compression only.
    pub exact: ReducedBill,
    /// The savings when details are left out, which the model can fetch.
    pub standard: ReducedBill,
}

impl Audit {
    /// Creates an audit with default settings.
    #[must_use]
    pub fn new() -> Self {
        let engine = |loss| {
            let plan = Plan { mode: Mode::Standard, loss, ..Plan::default() };
            Engine::new(EngineSettings { plan, expand: ExpandOffer::Auto, ..EngineSettings::default() })
        };
        Self { exact: engine(Loss::None), standard: engine(Loss::Detail) }
    }

    /// Audits a conversation at the given model price. `None` if it cannot be parsed.
    #[must_use]
    pub fn look(&self, recording: &Recording, price: Option<&Price>) -> Option<AuditedConversation> {
        let counted = counted(recording);
        let first = TokenEstimate::of(&self.exact, recording, &counted, 0)?;
        let ours: Vec<_> = recording.turns.iter().map(|turn| wide(first.sum(turn.messages).before)).collect();
        let fit = TokenFit::of(recording.shape, &recording.turns, &ours);
        let head = usize::try_from(count(fit.head / fit.scale)).unwrap_or(usize::MAX).min(200_000);
        let standard = TokenEstimate::of(&self.standard, recording, &counted, head)?;
        let turns = |weighed: &TokenEstimate| BilledTurns {
            rules: CacheRules::of(recording.shape.provider(), &recording.model),
            turns: &recording.turns,
            fit,
            ours: ours.clone(),
            removed: recording.turns.iter().map(|turn| removed(weighed, turn.messages)).collect(),
            tool: wide(weighed.tool),
            answers: recording.turns.iter().map(|turn| answer(&counted, turn.messages)).collect(),
        };
        let unpriced = usize::from(price.is_none());
        let free = Price::flat(TokenRates::default());
        let price = price.unwrap_or(&free);
        let (exact, standard_turns) = (turns(&first), turns(&standard));
        let before = first.results.iter().map(|it| wide(it.tokens.before)).sum();
        let after = |weighed: &TokenEstimate| weighed.results.iter().map(|it| wide(it.tokens.after)).sum();
        let sum = AuditSum {
            conversations: 1,
            requests: recording.turns.len(),
            counted: recording.turns.iter().filter(|turn| turn.billed.is_some()).count(),
            results: first.results.len(),
            result_tokens: [before, after(&first), after(&standard)],
            bill: exact.bill(price),
            unpriced,
            exact: exact.saved(price),
            standard: standard_turns.saved(price),
        };
        let called = first.results.iter().map(|result| result.tool.clone()).collect();
        Some(AuditedConversation {
            client: recording.client,
            session: recording.session.clone(),
            project: recording.project.clone(),
            model: recording.model.clone(),
            at: recording.turns.first().and_then(|turn| turn.at),
            sum,
            costly: costly(&first, &exact, price),
            reads: reads(&first, &exact),
            breaks: breaks(&exact, recording.compacted.as_ref(), price),
            unused: unused(recording, &called),
            called,
            stages: standard.stages,
        })
    }
}

impl Default for Audit {
    fn default() -> Self {
        Self::new()
    }
}

/// Our token count of the message that follows a request.
fn answer(counted: &[usize], at: usize) -> u64 {
    wide(counted.get(at).copied().unwrap_or(0))
}

fn removed(weighed: &TokenEstimate, messages: usize) -> u64 {
    let sum = weighed.sum(messages);
    wide(sum.before.saturating_sub(sum.after))
}

impl AuditSum {
    /// Adds another total.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.conversations += other.conversations;
        self.requests += other.requests;
        self.counted += other.counted;
        self.results += other.results;
        for (sum, other) in self.result_tokens.iter_mut().zip(other.result_tokens) {
            *sum += other;
        }
        self.bill.billed += other.bill.billed;
        self.bill.paid += other.bill.paid;
        self.bill.counted += other.bill.counted;
        self.bill.simulated += other.bill.simulated;
        self.bill.explained += other.bill.explained;
        self.unpriced += other.unpriced;
        for (sum, other) in [(&mut self.exact, other.exact), (&mut self.standard, other.standard)] {
            sum.tokens += other.tokens;
            sum.dollars += other.dollars;
            sum.capped += other.capped;
        }
        self
    }

    /// The totals of conversations, grouped by a key.
    #[must_use]
    pub fn by<'c>(
        all: impl IntoIterator<Item = &'c AuditedConversation>,
        name: impl Fn(&'c AuditedConversation) -> String,
    ) -> BTreeMap<String, Self> {
        let mut sums: BTreeMap<String, Self> = BTreeMap::new();
        for one in all {
            let sum = sums.entry(name(one)).or_default();
            *sum = sum.and(&one.sum);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tersely_account::{PriceTable, TokenUsage};

    use super::*;
    use crate::recording::RecordedTurn;

    /// The reported usage of this history is smaller than its texts.
    #[test]
    fn no_more_is_saved_than_was_paid() {
        let rows: Vec<_> = (0..300).map(|at| json!({ "id": at, "kind": "fruit", "ripe": null })).collect();
        let call = json!({ "type": "tool_use", "id": "a", "name": "Bash", "input": { "command": "list" } });
        let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": json!(rows).to_string() });
        let messages = vec![
            json!({ "role": "user", "content": "go" }),
            json!({ "role": "assistant", "content": [call] }),
            json!({ "role": "user", "content": [result] }),
        ];
        let billed = Some(TokenUsage { input: 3, output: 1, ..TokenUsage::default() });
        let turns = [1, 3].map(|messages| RecordedTurn { messages, billed, ..RecordedTurn::default() });
        let recording = Recording { messages, turns: turns.to_vec(), ..Recording::default() };
        let price = PriceTable::known().of("claude-sonnet-4-5").unwrap();
        let sum = Audit::new().look(&recording, Some(&price)).unwrap().sum;
        for saved in [sum.exact, sum.standard] {
            assert!(saved.dollars <= sum.bill.paid, "{saved:?} of {:?}", sum.bill);
            assert!(saved.tokens <= sum.bill.billed.read(), "{saved:?} of {:?}", sum.bill);
        }
        assert!(sum.exact.capped > 0, "{sum:?}");
    }
}

//! The record of one request: what was done with its body, and the provider's usage.

use std::sync::Arc;

use crate::arm::Arm;
use crate::cache_break::cause::PromptBreak;
use crate::cache_break::diagnosis::CacheDiagnosis;
use crate::cost::RequestCost;
use crate::form_sum::FormSum;
use crate::limit::LimitUse;
use crate::remote::RemoteSums;
use crate::result::{GroupSum, ResultRecord};
use crate::tokens::TokenChange;
use crate::usage::TokenUsage;

/// The stage that clears old results.
const CLEAR: &str = "clear";

/// What was done with a request, and what it cost. The engine creates the record; the gateway completes it with the
/// response.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RequestRecord {
    /// Whether the compressed body was sent.
    pub arm: Arm,
    /// The record of the compressed body, if the original was sent. All other fields here describe the original.
    pub would: Option<Arc<RequestRecord>>,
    /// Number of tool result texts in the body.
    pub slots: usize,
    /// Number of tool result texts that were changed.
    pub changed: usize,
    /// What was done with each result.
    pub results: Vec<Arc<ResultRecord>>,
    /// Tokens of its tool results, with secrets masked.
    pub result_tokens: TokenChange,
    /// Tokens of the whole body, including our own tools. `None` if the settings exclude the request, because then it
    /// is not counted.
    pub request_tokens: Option<TokenChange>,
    /// Tokens of the tools that we added.
    pub tool_tokens: usize,
    /// The stages that acted, largest saving first.
    pub stages: Vec<StageSaving>,
    /// A hash that distinguishes its conversation from others of the same client: a hash of the session's name, or else
    /// of the first user message.
    pub session: Option<u64>,
    /// Metadata from the client for the records: few entries, short, and without secrets.
    pub words: Vec<(String, String)>,
    /// Number of masked secrets.
    pub redacted: usize,
    /// Number of results whose compressed text was reused from an earlier request.
    pub reused: usize,
    /// Number of results of a named session whose text or settings changed.
    pub renewed: usize,
    /// Number of results, or whole bodies, that were left unchanged because we could not read or compress them.
    pub faults: usize,
    /// Totals by kind of tool and of text.
    pub groups: Vec<GroupSum>,
    /// Results that are new in their conversation.
    pub fresh: Vec<Arc<ResultRecord>>,
    /// Omitted text that the model fetched back, by the stage that omitted it.
    pub fetched: Vec<FetchSum>,
    /// Answers that were written in a form that the client asked for.
    pub forms: Vec<FormSum>,
    /// What became of the results that a remote compressor was to shorten.
    pub remote: RemoteSums,
    /// The provider's usage over all rounds; `None` if the response has none.
    pub usage: Option<TokenUsage>,
    /// The part of the usage from rounds after the first, which we caused.
    pub rounds: TokenUsage,
    /// The cost; `None` if the model's price is unknown.
    pub cost: Option<RequestCost>,
    /// The cost that the compressed body would have had with the same response, in nanodollars.
    pub would_paid: Option<u64>,
    /// How much of the account's limits was used when the response arrived; at most [`crate::MAX_LIMITS`] entries.
    pub limits: Vec<LimitUse>,
    /// Why the prompt was not read from the provider's cache, if it could have been.
    pub cache_break: Option<PromptBreak>,
    /// The number of the conversation among those that a client holds side by side, such as sub-agents.
    pub conversation: Option<u64>,
    /// What the provider itself says about its cache, if the client asked.
    pub diagnosis: Option<CacheDiagnosis>,
}

/// What one stage saved.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct StageSaving {
    /// The stage.
    pub stage: &'static str,
    /// Number of texts that the stage changed.
    pub texts: usize,
    /// Tokens that it saved; negative if it prepared the text for another stage.
    pub saved: i64,
}

/// Text that one stage omitted and the model fetched back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FetchSum {
    /// The stage.
    pub stage: &'static str,
    /// Number of fetches.
    pub calls: u64,
    /// Tokens of the returned text.
    pub tokens: u64,
}

impl RequestRecord {
    /// The record of a body of `tokens` tokens that is sent unchanged; `self` is the record of the compressed body.
    #[must_use]
    pub fn observed(mut self, arm: Arm, tokens: usize) -> Self {
        self.arm = arm;
        Self {
            arm,
            slots: self.slots,
            result_tokens: TokenChange::unchanged(self.result_tokens.before),
            request_tokens: Some(TokenChange::unchanged(tokens)),
            results: self.results.iter().map(|result| Arc::new(result.observed())).collect(),
            session: self.session,
            faults: self.faults,
            would: Some(Arc::new(self)),
            ..Self::default()
        }
    }

    /// Number of results that were cleared.
    #[must_use]
    pub fn cleared_results(&self) -> usize {
        self.stages.iter().find(|saving| saving.stage == CLEAR).map_or(0, |saving| saving.texts)
    }

    /// Tokens of the whole body; 0 if they were not counted.
    #[must_use]
    pub fn total_tokens(&self) -> TokenChange {
        self.request_tokens.unwrap_or_default()
    }

    /// Adds the results of another answer to the same request, such as a second one of a batch.
    pub fn join(&mut self, other: Self) {
        self.slots += other.slots;
        self.changed += other.changed;
        self.results.extend(other.results);
        self.fresh.extend(other.fresh);
        self.result_tokens += other.result_tokens;
        self.request_tokens = match (self.request_tokens, other.request_tokens) {
            (Some(mut sum), Some(more)) => {
                sum += more;
                Some(sum)
            }
            (one, another) => one.or(another),
        };
        other.stages.into_iter().for_each(|saving| self.save(saving));
        self.redacted += other.redacted;
        self.faults += other.faults;
        other.forms.iter().for_each(|sum| self.convert(sum));
        if self.arm == Arm::Applied {
            self.arm = other.arm;
        }
        self.would = match (self.would.take(), other.would) {
            (Some(sum), Some(more)) => {
                let mut sum = Arc::unwrap_or_clone(sum);
                sum.join(Arc::unwrap_or_clone(more));
                Some(Arc::new(sum))
            }
            (one, another) => one.or(another),
        };
        self.groups = GroupSum::of(&self.results);
    }

    /// Adds an answer that was written in another form.
    pub fn convert(&mut self, sum: &FormSum) {
        match self.forms.iter_mut().find(|known| known.form == sum.form) {
            Some(known) => known.add(sum),
            None => self.forms.push(*sum),
        }
    }

    /// Adds the tokens that a stage saved.
    pub fn save(&mut self, saving: StageSaving) {
        if let Some(sum) = self.stages.iter_mut().find(|sum| sum.stage == saving.stage) {
            sum.texts += saving.texts;
            sum.saved += saving.saved;
        } else {
            self.stages.push(saving);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_are_only_observed_add_up_to_what_would_have_been_saved() {
        let measured = || {
            let result_tokens = TokenChange { before: 100, after: 40 };
            RequestRecord { slots: 1, result_tokens, ..RequestRecord::default() }.observed(Arm::Observed, 100)
        };
        let mut sum = RequestRecord::default();
        sum.join(measured());
        sum.join(measured());
        assert_eq!((sum.arm, sum.slots), (Arm::Observed, 2));
        assert_eq!(sum.result_tokens, TokenChange { before: 200, after: 200 });
        let would = sum.would.map(|would| would.result_tokens);
        assert_eq!(would, Some(TokenChange { before: 200, after: 80 }));
    }
}

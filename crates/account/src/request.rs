//! The record of one request: what was done with its body, and what its provider counted.

use std::sync::Arc;

use crate::arm::Arm;
use crate::cost::RequestCost;
use crate::result::{GroupSum, ResultRecord};
use crate::tokens::TokenChange;
use crate::usage::TokenUsage;

/// What was done with a request, and what it cost. The engine makes it; the gateway completes it once there is an answer.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RequestRecord {
    /// Whether the compressed body was sent.
    pub arm: Arm,
    /// The record of the compressed body, where the original was sent. All other numbers here are those of the original.
    pub would: Option<Arc<RequestRecord>>,
    /// Texts of tool results in the body.
    pub slots: usize,
    /// How many of them were changed.
    pub changed: usize,
    /// What was done with each result.
    pub results: Vec<Arc<ResultRecord>>,
    /// Tokens of its tool results, secrets masked.
    pub result_tokens: TokenChange,
    /// Tokens of the whole body, our own tools included. Nothing where the settings exclude the request, so that it need
    /// not be counted.
    pub request_tokens: Option<TokenChange>,
    /// Tokens of the tools that were added.
    pub tool_tokens: usize,
    /// The stages that acted, the most saving first.
    pub stages: Vec<StageSaving>,
    /// A hash that tells its conversation from others of its client: the name that it was given, or what the user said
    /// first.
    pub session: Option<u64>,
    /// Words of the client's own, for records: few, short, and without secrets.
    pub words: Vec<(String, String)>,
    /// Secrets that were masked.
    pub redacted: usize,
    /// Results whose compressed text was remembered.
    pub reused: usize,
    /// Results of a named session whose text or settings changed.
    pub renewed: usize,
    /// Results, or whole bodies, that were left unchanged because we could not read them or failed.
    pub faults: usize,
    /// Results by kind of tool and of text.
    pub groups: Vec<GroupSum>,
    /// Results that their conversation had not shown before.
    pub fresh: Vec<Arc<ResultRecord>>,
    /// What models fetched back of the text that was left out, by the stage that had left it out.
    pub fetched: Vec<FetchSum>,
    /// What the provider counted, over all rounds; nothing where its answer does not say.
    pub usage: Option<TokenUsage>,
    /// The part of it that further rounds caused, which are ours.
    pub rounds: TokenUsage,
    /// What the request cost; nothing where the price of its model is unknown.
    pub cost: Option<RequestCost>,
    /// What the compressed body would have cost, in billionths of a dollar, had the model answered the same.
    pub would_paid: Option<u64>,
}

/// What a stage did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct StageSaving {
    /// The stage.
    pub stage: &'static str,
    /// How many texts it changed.
    pub texts: usize,
    /// Tokens that it saved; negative where it made room for another stage.
    pub saved: i64,
}

/// What was fetched back of the text that one stage had left out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FetchSum {
    /// The stage.
    pub stage: &'static str,
    /// How often it was asked for.
    pub calls: u64,
    /// Tokens of what was given.
    pub tokens: u64,
}

impl RequestRecord {
    /// The record of a body of so many tokens that is sent unchanged, where this is the record of the compressed one.
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

    /// Tokens of the whole body; none where they were not counted.
    #[must_use]
    pub fn total_tokens(&self) -> TokenChange {
        self.request_tokens.unwrap_or_default()
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

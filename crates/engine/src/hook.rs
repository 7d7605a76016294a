//! Compresses a tool's result that a client shows to its hooks, before the model sees it.
//!
//! The client keeps this text and sends it with every later request, so it is the only one that is ever cached. We see
//! no other result of the conversation, so there are no references.

use std::borrow::Cow;

use bytes::Bytes;
use tersely_account::{Arm, RequestRecord};
use tersely_core::{Loss, O200k, redact};
use tersely_wire::hook::HookCall;
use tersely_wire::{Slot, in_order, string};

use crate::answer::{masks_off, record};
use crate::engine::Engine;
use crate::results::{Results, compress};
use crate::scope::Scope;
use crate::tools::retrieval::KeptOriginal;

/// The answer to a client's hook.
#[derive(Debug, Default)]
pub struct HookAnswer {
    /// The answer; `None` if the result stays as it is.
    pub answer: Option<Vec<u8>>,
    /// Originals of the texts that were cut.
    pub kept: Vec<KeptOriginal>,
    /// What was done.
    pub record: RequestRecord,
}

impl Engine {
    /// Compresses the texts of a result, with at most the given loss. Where detail is cut, the text ends with the words
    /// of `fetch`, which tell the model how to fetch the original with this id.
    #[must_use]
    pub fn hook(&self, call: &HookCall<'_>, most: Loss, fetch: impl Fn(&str) -> String) -> HookAnswer {
        let options = masks_off();
        let scope = |most| Scope::new(self.settings(), "", &options).with_max_loss(most).without_references();
        if scope(most).is_idle() || call.slots.is_empty() {
            return HookAnswer::default();
        }
        let mut results = compress(&scope(most), None, &call.slots);
        if !results.kept.is_empty() && (has_secret(&results) || !add_fetch(&mut results, &call.slots, fetch))
        {
            results = compress(&scope(most.min(Loss::Form)), None, &call.slots);
        }
        let record = record(&results);
        // A text that the client writes to a file all the same is written there as the tool printed it.
        let is_too_long = call.max_tokens().is_some_and(|most| record.result_tokens.after > most);
        let tokens = record.result_tokens.before;
        if scope(most).observes() {
            return HookAnswer { record: record.observed(Arm::Observed, tokens), ..HookAnswer::default() };
        }
        if is_too_long {
            let record = RequestRecord { would: None, ..record.observed(Arm::Applied, tokens) };
            return HookAnswer { record, ..HookAnswer::default() };
        }
        let edits = in_order(results.edits(&call.slots));
        let answer = (!edits.is_empty()).then(|| call.answer(&edits));
        HookAnswer { answer, kept: results.kept, record }
    }
}

/// True when a text that would be kept on disk holds a secret.
fn has_secret(results: &Results) -> bool {
    results.kept.iter().any(|kept| matches!(redact(&kept.text), Cow::Owned(_)))
}

/// Adds the words of `fetch` to every text that was cut. False if a text then has no fewer tokens than its original.
fn add_fetch(results: &mut Results, slots: &[Slot<'_>], fetch: impl Fn(&str) -> String) -> bool {
    let mut added = 0;
    for (slot, sent) in slots.iter().zip(&mut results.tokens) {
        let Some(text) = sent.as_deref().and_then(string::decode) else { continue };
        let Some(kept) = results.kept.iter().find(|kept| text.contains(&kept.id)) else { continue };
        let text_and_way = format!("{}\n{}", text.trim_end(), fetch(&kept.id));
        let tokens = O200k.count(&text_and_way);
        if slot.text().is_none_or(|came| tokens >= O200k.count(&came)) {
            return false;
        }
        added += tokens.saturating_sub(O200k.count(&text));
        let mut token = Vec::new();
        string::encode(&mut token, &text_and_way);
        *sent = Some(Bytes::from(token));
    }
    results.report.record.result_tokens.after += added;
    true
}

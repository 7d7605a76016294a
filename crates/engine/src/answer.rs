//! Compresses a tool's result on its way from an MCP server to the client.
//!
//! The client keeps this text and sends it to a model later, so we cannot correct anything afterwards: originals must
//! be stored first, and secrets are masked only if the operator turned masking on everywhere.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use tersely_account::{Arm, FormSum, GroupSum, RequestRecord};
use tersely_core::{Form, Loss, Plan, Redaction, encode_json, redact};
use tersely_wire::mcp::{RpcId, ToolAnswer};
use tersely_wire::{Slot, SlotCall, Splice, in_order, patch, splice};

use crate::engine::Engine;
use crate::holdout::masks;
use crate::overrides::change::PlanOverride;
use crate::overrides::request_options::RequestOptions;
use crate::panic_guard::catch_panic;
use crate::report::Report;
use crate::results::{Results, compress};
use crate::scope::{RulePlace, Scope};
use crate::tools::retrieval::KeptOriginal;

/// The facts about a server's answer that determine how its texts are compressed.
pub struct ServerAnswer<'a> {
    /// The id of the request that this answers.
    pub id: &'a RpcId,
    /// The tool call.
    pub call: &'a Arc<SlotCall<'static>>,
    /// The path of the request; rules may depend on it.
    pub path: &'a str,
    /// The authenticated tenant; rules may depend on it.
    pub tenant: Option<&'a str>,
    /// The maximum loss allowed, regardless of the settings.
    pub most: Loss,
    /// Whether structured content that repeats the texts may be removed.
    pub may_unstructure: bool,
    /// The form that the client requested. JSON texts are written in this form, and nothing else is changed.
    pub form: Option<Form>,
}

/// The answer that the client gets.
pub struct ClientAnswer<'b> {
    /// The message; borrowed when nothing was changed.
    pub body: Cow<'b, [u8]>,
    /// Originals of the results that were cut.
    pub kept: Vec<KeptOriginal>,
    /// What was done.
    pub record: RequestRecord,
}

impl Engine {
    /// True when detail may be cut from the results of some tool at this route, for this tenant.
    #[must_use]
    pub fn omits(&self, path: &str, tenant: Option<&str>) -> bool {
        let options = RequestOptions::default();
        let scope = Scope::new(self.settings(), RulePlace { path, tenant }, &options);
        scope.may_cut() && !scope.observes()
    }

    /// The message to forward in place of `body`.
    #[must_use]
    pub fn answer<'b>(&self, answer: &ServerAnswer<'_>, body: &'b [u8]) -> ClientAnswer<'b> {
        let options = masks_off();
        let place = RulePlace { path: answer.path, tenant: answer.tenant };
        // We do not know which earlier results the model still sees, so we add no references.
        let scope =
            Scope::new(self.settings(), place, &options).with_max_loss(answer.most).without_references();
        let unchanged =
            ClientAnswer { body: Cow::Borrowed(body), kept: Vec::new(), record: RequestRecord::default() };
        if scope.is_idle() {
            return unchanged;
        }
        let Some(found) = ToolAnswer::find(answer.id, answer.call, body) else { return unchanged };
        if let Some(form) = answer.form {
            let (edits, sum) = encode_texts(&scope, form, &found.slots);
            let record = RequestRecord { forms: vec![sum], ..RequestRecord::default() };
            return ClientAnswer { body: splice(body, &edits), record, ..unchanged };
        }
        if scope.observes() {
            let edits: Vec<_> = found.slots.iter().filter_map(|slot| masks(&scope, slot)).collect();
            let record = record(&compress(&scope, None, &found.slots));
            let tokens = record.result_tokens.before;
            let record = record.observed(Arm::Observed, tokens);
            return ClientAnswer { body: splice(body, &edits), record, ..unchanged };
        }
        let results = compress(&scope, None, &found.slots);
        let mut edits = results.edits(&found.slots);
        if answer.may_unstructure {
            edits.extend(found.repeat.map(|span| (span, Bytes::new())));
        }
        let edits = in_order(edits);
        let body = if edits.is_empty() { unchanged.body } else { Cow::Owned(patch(body, &edits)) };
        let record = record(&results);
        ClientAnswer { body, kept: results.kept, record }
    }
}

/// The record of compressed results. The client sends them to a model later, so they are counted by themselves.
pub(crate) fn record(results: &Results) -> RequestRecord {
    let mut report = Report::default();
    report.add(&results.report);
    report.close();
    let mut record = report.record;
    record.fresh.clone_from(&record.results);
    record.groups = GroupSum::of(&record.results);
    record.request_tokens = Some(record.result_tokens);
    record
}

/// Writes JSON texts in a form, where the form can represent them and is cheaper. Masking that the operator turned on
/// everywhere applies regardless of the client's request.
fn encode_texts(scope: &Scope<'_>, form: Form, slots: &[Slot<'_>]) -> (Vec<Splice>, FormSum) {
    let mut sum = FormSum { form: form.name(), ..FormSum::default() };
    let mut edit = |slot: &Slot<'_>| {
        let plan = scope.plan(&slot.call.tool)?;
        let text = slot.text()?;
        let sealed = if plan.redact == Redaction::All { redact(&text) } else { Cow::Borrowed(&*text) };
        if scope.skips(&slot.call.tool) {
            let Cow::Owned(masked) = sealed else { return None };
            return Some((slot.span.clone(), Some(masked)));
        }
        let encoded = catch_panic(|| encode_json(form, &sealed)).flatten();
        sum.add(&FormSum::of(form.name(), sealed.len(), encoded.as_ref().map(String::len)));
        Some((slot.span.clone(), Some(encoded.unwrap_or_else(|| sealed.into_owned()))))
    };
    let edits = slots.iter().filter_map(&mut edit).collect();
    (edits, sum)
}

/// Options that turn masking off, unless the operator turned it on everywhere.
pub(crate) fn masks_off() -> RequestOptions {
    let change = PlanOverride::of(&["redact_secrets"], Plan { redact: Redaction::Off, ..Plan::default() });
    RequestOptions { change, ..RequestOptions::default() }
}

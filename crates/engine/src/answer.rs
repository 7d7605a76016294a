//! One tool's result through, on its way from a server to the client that asked.
//!
//! The client keeps what it gets here and sends it to a model later, so nothing can be put right afterwards: what is left
//! out must have been kept before, and secrets are masked only where the operator asked for it by name.

use std::borrow::Cow;
use std::sync::Arc;

use tersely_core::{Form, Loss, Plan, Redaction, encode_json, redact};
use tersely_wire::mcp::{RpcId, ToolAnswer};
use tersely_wire::{Slot, SlotCall, Splice, splice};

use crate::engine::Engine;
use crate::holdout::masks;
use crate::overrides::change::PlanOverride;
use crate::overrides::request_options::RequestOptions;
use crate::panic_guard::guarded;
use crate::results::settle;
use crate::scope::{RulePlace, Scope};
use crate::tools::retrieval::KeptOriginal;

/// An answer of a server, as far as it matters to its texts.
pub struct ServerAnswer<'a> {
    /// The request that it answers.
    pub id: &'a RpcId,
    /// What was called.
    pub call: &'a Arc<SlotCall<'static>>,
    /// Where it came from: rules may speak of routes.
    pub path: &'a str,
    /// Whose it is, if that was checked: rules may speak of tenants.
    pub tenant: Option<&'a str>,
    /// The most that may be lost, whatever the settings say.
    pub most: Loss,
    /// Whether its structured part may go where it only repeats the texts.
    pub may_unstructure: bool,
    /// The form that the client asked for by name: then its JSON gets that one, and nothing else is done.
    pub form: Option<Form>,
}

/// What a client gets for an answer.
pub struct ClientAnswer<'b> {
    /// The message; borrowed when nothing was changed.
    pub body: Cow<'b, [u8]>,
    /// What was left out of it.
    pub kept: Vec<KeptOriginal>,
}

impl Engine {
    /// True when something may be left out of the results of some tool at this route, for this tenant.
    #[must_use]
    pub fn omits(&self, path: &str, tenant: Option<&str>) -> bool {
        let asked = RequestOptions::default();
        let scope = Scope::new(self.settings(), RulePlace { path, tenant }, &asked);
        scope.leaves_out() && !scope.observes()
    }

    /// The message that should be passed on in the place of `body`.
    #[must_use]
    pub fn answer<'b>(&self, answer: &ServerAnswer<'_>, body: &'b [u8]) -> ClientAnswer<'b> {
        let asked = masks_off();
        let mut scope =
            Scope::new(self.settings(), RulePlace { path: answer.path, tenant: answer.tenant }, &asked);
        scope.most = answer.most;
        // Nobody knows what of a client's conversation a model still sees.
        scope.refers = false;
        let unchanged = ClientAnswer { body: Cow::Borrowed(body), kept: Vec::new() };
        if scope.is_idle() {
            return unchanged;
        }
        let Some(found) = ToolAnswer::find(answer.id, answer.call, body) else { return unchanged };
        if let Some(form) = answer.form {
            return ClientAnswer { body: splice(body, &encoded(&scope, form, &found.slots)), ..unchanged };
        }
        if scope.observes() {
            let edits: Vec<_> = found.slots.iter().filter_map(|slot| masks(&scope, slot)).collect();
            return ClientAnswer { body: splice(body, &edits), ..unchanged };
        }
        let results = settle(&scope, None, &found.slots);
        let mut edits = results.edits;
        if answer.may_unstructure {
            edits.extend(found.repeat.map(|span| (span, None)));
        }
        ClientAnswer { body: splice(body, &edits), kept: results.kept }
    }
}

/// The texts that are JSON, in a form, where it holds them and is cheaper. What the operator asked for by name is masked
/// whatever the client asks for.
fn encoded(scope: &Scope<'_>, form: Form, slots: &[Slot<'_>]) -> Vec<Splice> {
    let edit = |slot: &Slot<'_>| {
        let plan = scope.plan(&slot.call.tool)?;
        let text = slot.text()?;
        let sealed = if plan.redact == Redaction::All { redact(&text) } else { Cow::Borrowed(&*text) };
        if scope.skips(&slot.call.tool) {
            let Cow::Owned(masked) = sealed else { return None };
            return Some((slot.span.clone(), Some(masked)));
        }
        let encoded = guarded(|| encode_json(form, &sealed)).flatten();
        Some((slot.span.clone(), Some(encoded.unwrap_or_else(|| sealed.into_owned()))))
    };
    slots.iter().filter_map(edit).collect()
}

/// A wish for no masks but those that the operator asked for by name.
fn masks_off() -> RequestOptions {
    let change = PlanOverride::of(&["redact_secrets"], Plan { redact: Redaction::Off, ..Plan::default() });
    RequestOptions { change, ..RequestOptions::default() }
}

//! Says whether what is made of a request is sent, or only told: it observes, or its session is held out.

use std::borrow::Cow;

use tersely_account::Arm;
use tersely_core::{Redaction, redact, seal};
use tersely_wire::{HistoryPlace, Slot, Splice, splice};

use crate::conversation::call;
use crate::engine::Engine;
use crate::engine::session;
use crate::overrides::body_object::take;
use crate::overrides::request_options::RequestOptions;
use crate::panic_guard::guarded;
use crate::request::Request;
use crate::scope::Scope;

impl Engine {
    /// Whether what is made of a request is sent.
    pub(crate) fn arm(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        body: &[u8],
        session: Option<u64>,
    ) -> Arm {
        let scope = Scope::new(self.settings(), request.place(), asked);
        if scope.observes() {
            return Arm::Observed;
        }
        // A later request of the conversation may bring nothing of its beginning, and would be in another group.
        let is_named = request.named.is_some() || asked.session.id.is_some();
        let lasts = is_named || request.provider.history(body) == HistoryPlace::Here;
        session.filter(|_| lasts).map_or(Arm::Applied, |session| self.settings().holdout.arm(session))
    }

    /// A body that is sent as it came, but for the secrets in its results if the request asked for that. What the operator
    /// asked for by name was done before.
    pub(crate) fn masked<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        body: Cow<'b, [u8]>,
    ) -> Cow<'b, [u8]> {
        let scope = Scope::new(self.settings(), request.place(), asked);
        let slots = request.provider.slots(&body).unwrap_or_default();
        let edits: Vec<_> = slots.iter().filter_map(|slot| masks(&scope, slot)).collect();
        let masked = match splice(&body, &edits) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        };
        masked.map_or(body, Cow::Owned)
    }
}

impl Engine {
    /// The body with the secrets of its results masked as they are in what is passed, and nothing else changed: for one
    /// that there is no time to pass. `None` when nothing is to be masked.
    #[must_use]
    pub fn mask(&self, request: &Request<'_>, body: &[u8]) -> Option<Vec<u8>> {
        // What makes no sense would have been refused, had there been time; nobody is asked to guess now.
        let own = take(body).ok().flatten().map(|(own, _)| own);
        let asked = own.map_or_else(|| request.asked.clone(), |own| request.asked.clone().or(own));
        let mut scope = Scope::new(self.settings(), request.place(), &asked);
        scope.most = request.most;
        if scope.is_idle() {
            return None;
        }
        let session = session(request, &asked, body);
        let is_applied = self.arm(request, &asked, body, session).is_applied();
        let slots = request.provider.slots(body).unwrap_or_default();
        let edit = |slot: &Slot<'_>| if is_applied { masks_usual(&scope, slot) } else { masks(&scope, slot) };
        match splice(body, &slots.iter().filter_map(edit).collect::<Vec<_>>()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        }
    }
}

/// A result without its secrets, if its plan masks them and there are any.
fn masks_usual(scope: &Scope<'_>, slot: &Slot<'_>) -> Option<Splice> {
    let (plan, text) = (scope.plan(&slot.call.tool)?, slot.text()?);
    let (masked, _) = guarded(|| seal(&plan, call(slot), &text))??;
    Some((slot.span.clone(), Some(masked)))
}

/// A result without its secrets, if they are to be masked by name and there are any.
pub(crate) fn masks(scope: &Scope<'_>, slot: &Slot<'_>) -> Option<Splice> {
    scope.plan(&slot.call.tool).filter(|plan| plan.redact == Redaction::All)?;
    let text = slot.text()?;
    let Cow::Owned(masked) = guarded(|| redact(&text))? else { return None };
    Some((slot.span.clone(), Some(masked)))
}

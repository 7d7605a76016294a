//! Decides whether a rewritten request is sent, or only measured because of observe mode or a holdout session.

use std::borrow::Cow;

use tersely_account::{Arm, HoldoutShare};
use tersely_core::{Redaction, redact, seal};
use tersely_wire::{HistoryPlace, Reading, Slot, Splice, splice};

use crate::clear_mode::ClearMode;
use crate::engine::Engine;
use crate::overrides::body_object::take;
use crate::overrides::request_options::RequestOptions;
use crate::panic_guard::catch_panic;
use crate::request::Request;
use crate::scope::Scope;
use crate::sent_body::SentBody;
use crate::session_hash::session;
use crate::slot_call::call;

impl Engine {
    /// The arm of a request: whether its rewritten body is sent.
    pub(crate) fn arm(&self, request: &Request<'_>, asked: &RequestOptions, reading: &Reading<'_>) -> Arm {
        if request.scope(self.settings(), asked).observes() {
            return Arm::Observed;
        }
        let (holdout, is_clearing) = (&self.settings().holdout, self.settings().clear == ClearMode::Half);
        let is_trial = is_clearing || holdout.share != HoldoutShare::default();
        // Without a stable session, a later request of the same conversation could be assigned to another arm.
        let is_named = request.named.is_some() || asked.session.id.is_some();
        let is_stable = is_named || reading.history() == HistoryPlace::Here;
        let session = (is_trial && is_stable).then(|| session(request, asked, reading, None)).flatten();
        session.map_or(Arm::Applied, |session| match holdout.arm(session) {
            Arm::Applied => holdout.clearing_arm(session),
            arm => arm,
        })
    }

    /// True when the conversation of a request may be cleared.
    #[must_use]
    pub fn clears(&self, request: &Request<'_>, reading: &Reading<'_>) -> bool {
        match self.settings().clear {
            ClearMode::Off => false,
            ClearMode::Cold => true,
            ClearMode::Half => {
                // Invalid options are refused later, in `pass`.
                let own = take(reading).ok().flatten().map(|(own, _)| own);
                let asked = own.map_or_else(|| request.asked.clone(), |own| request.asked.clone().or(own));
                matches!(self.arm(request, &asked, reading), Arm::Cleared(_))
            }
        }
    }

    /// A body that is sent uncompressed. The secrets in its results are masked if the request turned masking on
    /// everywhere; the operator's masking was done before.
    pub(crate) fn mask_by_name<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        reading: &Reading<'b>,
    ) -> SentBody<'b> {
        let scope = request.scope(self.settings(), asked);
        let edits: Vec<_> = reading.slots().iter().filter_map(|slot| masks(&scope, slot)).collect();
        match splice(reading.body(), &edits) {
            Cow::Borrowed(body) => SentBody::Came(body),
            Cow::Owned(masked) => SentBody::New(masked.into()),
        }
    }
}

impl Engine {
    /// Masks the secrets in the results as `pass` would, and changes nothing else. This is for a body that there is no
    /// time to compress. `None` when there is nothing to mask.
    #[must_use]
    pub fn mask(&self, request: &Request<'_>, body: &[u8]) -> Option<Vec<u8>> {
        let reading = request.provider.read(body);
        // With enough time, `pass` would have refused invalid options. Here they are ignored.
        let own = take(&reading).ok().flatten().map(|(own, _)| own);
        let asked = own.map_or_else(|| request.asked.clone(), |own| request.asked.clone().or(own));
        let scope = request.scope(self.settings(), &asked).with_max_loss(request.most);
        if scope.is_idle() {
            return None;
        }
        let is_applied = self.arm(request, &asked, &reading).is_applied();
        let edit = |slot: &Slot<'_>| if is_applied { masks_usual(&scope, slot) } else { masks(&scope, slot) };
        match splice(body, &reading.slots().iter().filter_map(edit).collect::<Vec<_>>()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        }
    }
}

/// Masks the secrets in a result as its plan requires; `None` if there are none.
fn masks_usual(scope: &Scope<'_>, slot: &Slot<'_>) -> Option<Splice> {
    let (plan, text) = (scope.plan(&slot.call.tool)?, slot.text()?);
    let (masked, _) = catch_panic(|| seal(&plan, call(slot), &text))??;
    Some((slot.span.clone(), Some(masked)))
}

/// Masks the secrets in a result if masking is on everywhere; `None` if there are none.
pub(crate) fn masks(scope: &Scope<'_>, slot: &Slot<'_>) -> Option<Splice> {
    scope.plan(&slot.call.tool).filter(|plan| plan.redact == Redaction::All)?;
    let text = slot.text()?;
    let Cow::Owned(masked) = catch_panic(|| redact(&text))? else { return None };
    Some((slot.span.clone(), Some(masked)))
}

//! A result that stays unchanged, except for secrets and imitations of our marks.

use std::borrow::Cow;

use tersely_core::{Loss, Outcome, Plan, seal};
use tersely_wire::Slot;

use crate::panic_guard::catch_panic;
use crate::slot_call::call;

/// A text, and the masked text that is sent for it, if it contains secrets.
pub(crate) struct MaskedText<'s> {
    pub(crate) came: Cow<'s, str>,
    pub(crate) sent: Option<Outcome<'static>>,
}

impl<'s> MaskedText<'s> {
    /// Masks a text. Masking applies regardless of any limit on size, tool or time.
    pub(crate) fn of(plan: Option<Plan>, slot: &Slot<'_>, came: Cow<'s, str>) -> Self {
        let masked = plan.and_then(|plan| catch_panic(|| seal(&plan, call(slot), &came)).flatten());
        let sent = masked.map(|(text, redacted)| Outcome { redacted, ..Outcome::same(&text) }.into_owned());
        Self { came, sent }
    }

    /// Escapes imitations of our marks in the text. No rule can turn this off, so a tool's text never looks like our
    /// marks.
    pub(crate) fn escape_marks(self, plan: Plan, slot: &Slot<'_>) -> Self {
        let shown = self.text();
        let escaped = is_rewritable(plan, slot, &self.came)
            .then(|| catch_panic(|| tersely_core::pass_through(&plan, call(slot), shown)))
            .flatten()
            .filter(|escaped| escaped.text != shown);
        let redacted = self.sent.as_ref().map_or(0, |sent| sent.redacted);
        match escaped.map(|escaped| Outcome { redacted, ..escaped.into_owned() }) {
            None => self,
            sent => Self { sent, ..self },
        }
    }

    /// The text that is sent.
    pub(crate) fn text(&self) -> &str {
        self.sent.as_ref().map_or(&self.came, |sent| &sent.text)
    }
}

/// True when a text may be rewritten. If no loss is allowed, our JSON spelling of the text must equal the client's.
pub(crate) fn is_rewritable(plan: Plan, slot: &Slot<'_>, text: &str) -> bool {
    plan.loss > Loss::None || slot.is_spelled(text)
}

//! One request body through: what it says to us taken out, every tool result compressed, and all else as it came.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tersely_core::{Call, Loss, O200k, Outcome, Plan, compress};
use tersely_wire::{Edit, Provider, Slot, splice};

use crate::object::take;
use crate::scope::Scope;
use crate::{Asked, Policy, Refused, Report, Settings, beside};

/// Settings at work. What it makes of a body depends on these two alone.
#[derive(Debug, Clone, Default)]
pub struct Engine {
    settings: Settings,
}

/// A request, as far as it matters to its body.
#[derive(Clone)]
pub struct Request<'r> {
    /// The shape of the body.
    pub provider: &'static dyn Provider,
    /// Where it is sent, for rules that speak of routes.
    pub path: &'r str,
    /// What it asks for beside its body; above what the body asks for.
    pub asked: Asked,
}

/// A body that may go on.
#[derive(Debug, PartialEq, Eq)]
pub struct Passed<'b> {
    /// What to send; borrowed when nothing was changed.
    pub body: Cow<'b, [u8]>,
    /// The account of it.
    pub report: Report,
}

impl Engine {
    /// An engine that does as `settings` say.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// What it was told.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The body that should be sent in the place of `body`. Whatever cannot be done is left as it came.
    ///
    /// # Errors
    /// When the body asks for something that makes no sense.
    pub fn pass<'b>(&self, request: &Request<'_>, body: &'b [u8]) -> Result<Passed<'b>, Refused> {
        let Some((own, rest)) = take(body)? else {
            let (new, report) = self.work(request, &request.asked, body)?;
            return Ok(Passed { body: new.map_or(Cow::Borrowed(body), Cow::Owned), report });
        };
        let (new, report) = self.work(request, &request.asked.clone().or(own), &rest)?;
        Ok(Passed { body: Cow::Owned(new.unwrap_or(rest)), report })
    }

    /// The body with its results compressed, unless it stays as it is.
    fn work(
        &self,
        request: &Request<'_>,
        asked: &Asked,
        body: &[u8],
    ) -> Result<(Option<Vec<u8>>, Report), Refused> {
        let mut report = Report::default();
        let scope = Scope { settings: &self.settings, path: request.path, asked };
        let mut edits = beside::edits(&scope, request.provider, body, &mut report)?;
        if !scope.is_idle() {
            edits.extend(results(&scope, request.provider, body, &mut report));
        }
        edits.sort_by_key(|(span, _)| span.start);
        report.close();
        match splice(body, &edits) {
            Cow::Borrowed(_) => Ok((None, report)),
            Cow::Owned(new) => Ok((Some(new), report)),
        }
    }
}

/// The edits of all tool results.
fn results(scope: &Scope<'_>, provider: &dyn Provider, body: &[u8], report: &mut Report) -> Vec<Edit> {
    let slots = provider.slots(body).unwrap_or_else(|error| {
        report.unread = Some(error);
        report.faults += 1;
        Vec::new()
    });
    slots.iter().filter_map(|slot| fill(scope, slot, report)).collect()
}

/// What should stand in a slot instead, if something should.
fn fill(scope: &Scope<'_>, slot: &Slot<'_>, report: &mut Report) -> Option<Edit> {
    report.slots += 1;
    let Some(text) = slot.text() else {
        report.faults += 1;
        return None;
    };
    let policy = scope.policy(&slot.call.tool).filter(|policy| text.len() > policy.min_bytes);
    let Some(policy) = policy else {
        report.leave(&text);
        return None;
    };
    let Some(outcome) = guarded(|| compressed(policy, slot, &text)) else {
        report.faults += 1;
        report.leave(&text);
        return None;
    };
    report.book(&text, &outcome);
    let changed = outcome.text != text;
    changed.then(|| (slot.span.clone(), Some(outcome.text.into_owned())))
}

fn compressed<'t>(policy: Policy, slot: &Slot<'_>, text: &'t str) -> Outcome<'t> {
    // An error is what the agent must see as it was: at most an exact form may stand for it.
    let loss = if slot.is_error { Loss::None } else { policy.loss };
    let Policy { mode, max_bytes, redact, dictionary, .. } = policy;
    let call = Call { id: &slot.call.id, tool: &slot.call.tool, command: slot.call.command.as_deref() };
    compress(&Plan { mode, loss, max_bytes, redact, dictionary }, &O200k, call, text)
}

/// What `work` gives, unless it panics: a fault in one text is no reason to send the others at full price.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_one_text_is_kept_there() {
        assert_eq!(guarded(|| 1), Some(1));
        assert_eq!(guarded(|| -> u8 { panic!("a fault, as a test wants it") }), None);
    }
}

//! The tool results of a body, each compressed and then said only as far as the ones before it do not say it.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use tersely_core::{Loss, O200k, Outcome, Plan, compress};
use tersely_wire::{Edit, Slot};

use crate::conversation::{Conversation, call};
use crate::crew::each;
use crate::guard::guarded;
use crate::memo::Past;
use crate::scope::Scope;
use crate::{Kept, Policy, Report, Request, Tally};

/// What became of all results.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) edits: Vec<Edit>,
    /// What was left out of those that were not remembered.
    pub(crate) kept: Vec<Kept>,
    pub(crate) report: Report,
}

/// What became of one result, as it may be remembered.
#[derive(Clone, Default)]
pub(crate) struct Filled {
    /// What is sent instead; nothing when it goes on as it came.
    pub(crate) sent: Option<String>,
    pub(crate) report: Report,
}

/// A result before the ones before it are looked at.
enum Found<'s> {
    /// It cannot be read, or we failed at reading it.
    Unread,
    /// It is to go on as it came.
    Left(Cow<'s, str>),
    /// We failed at it.
    Failed(Cow<'s, str>),
    Done(Policy, Cow<'s, str>, Outcome<'static>),
}

/// Compresses every result of a body, in order.
pub(crate) fn results(scope: &Scope<'_>, request: &Request<'_>, body: &[u8]) -> Results {
    let slots = match request.provider.slots(body) {
        Ok(slots) => slots,
        Err(error) => {
            let report = Report { unread: Some(error), faults: 1, ..Report::default() };
            return Results { report, ..Results::default() };
        }
    };
    let memo = request.memo.filter(|_| scope.asked.session.memo != Some(false));
    let links = memo.map_or_else(Vec::new, |recall| recall.links(scope, &slots));
    let mut past = memo.and_then(|recall| recall.take(&links)).unwrap_or_else(|| Past::new(scope));
    let mut results = Results::default();
    results.report.reused = past.filled.len();
    results.report.renewed = memo.map_or(0, |recall| recall.changed(scope, &slots));
    let plain = slots.get(..scope.plain).and_then(<[_]>::last).map_or(0, |slot| slot.span.end);
    let found = each(&slots[past.filled.len()..], |slot| {
        if slot.span.start < plain { leave(slot) } else { look(scope, slot) }
    });
    for (slot, found) in slots[past.filled.len()..].iter().zip(found) {
        let found = found.unwrap_or(Found::Unread);
        let filled = fill(&mut past.conversation, slot, found, &mut results.kept);
        past.filled.push(filled);
    }
    for (at, (slot, filled)) in slots.iter().zip(&past.filled).enumerate() {
        results.report.add(&filled.report);
        let Report { before, after, .. } = filled.report;
        results.report.results.push((name(at, slot), Tally { before, after }));
        results.edits.extend(filled.sent.clone().map(|sent| (slot.span.clone(), Some(sent))));
    }
    if let (Some(recall), Some(last)) = (memo, links.last()) {
        recall.keep(*last, past);
    }
    results
}

/// A result that stays as it came.
fn leave<'s>(slot: &Slot<'s>) -> Found<'s> {
    slot.text().map_or(Found::Unread, Found::Left)
}

/// A name by which a result is known when a later request sends it again: its call and its text, and its place where
/// the call has no name.
fn name(at: usize, slot: &Slot<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (slot.call.id.is_empty().then_some(at), &*slot.call.id, slot.token).hash(&mut hasher);
    hasher.finish()
}

/// What a result becomes by itself.
fn look<'s>(scope: &Scope<'_>, slot: &Slot<'s>) -> Found<'s> {
    let Some(text) = slot.text() else { return Found::Unread };
    let fits = |policy: &Policy| text.len() > policy.min_bytes && comes_back(*policy, slot, &text);
    let Some(policy) = scope.policy(&slot.call.tool).filter(fits) else { return Found::Left(text) };
    match guarded(|| compressed(policy, slot, &text).into_owned()) {
        Some(outcome) => Found::Done(policy, text, outcome),
        None => Found::Failed(text),
    }
}

/// True when a text can go another way: under no loss, only one that would be written again as the client wrote it.
fn comes_back(policy: Policy, slot: &Slot<'_>, text: &str) -> bool {
    policy.loss > Loss::None || slot.is_spelled(text)
}

fn compressed<'t>(policy: Policy, slot: &Slot<'_>, text: &'t str) -> Outcome<'t> {
    // An error is what the agent must see as it was: at most an exact form may stand for it.
    let loss = if slot.is_error { Loss::None } else { policy.loss };
    let Policy { mode, max_bytes, redact, dictionary, .. } = policy;
    compress(&Plan { mode, loss, max_bytes, redact, dictionary }, &O200k, call(slot), text)
}

/// What stands for a result after the ones before it.
fn fill(past: &mut Conversation, slot: &Slot<'_>, found: Found<'_>, kept: &mut Vec<Kept>) -> Filled {
    let mut report = Report { slots: 1, ..Report::default() };
    let (text, outcome) = match found {
        Found::Unread => {
            past.skip(slot);
            report.faults = 1;
            return Filled { sent: None, report };
        }
        Found::Left(text) => {
            past.remember(slot, &text);
            report.leave(&text);
            return Filled { sent: None, report };
        }
        Found::Failed(text) => (text, None),
        Found::Done(policy, text, outcome) => {
            let referred = guarded(|| past.refer(policy, slot, &text, outcome));
            (text, referred)
        }
    };
    let Some(outcome) = outcome else {
        past.skip(slot);
        report.faults = 1;
        report.leave(&text);
        return Filled { sent: None, report };
    };
    report.book(&text, &outcome);
    if outcome.text == text {
        return Filled { sent: None, report };
    }
    let sent = outcome.text.clone().into_owned();
    kept.extend(Kept::of(outcome));
    Filled { sent: Some(sent), report }
}

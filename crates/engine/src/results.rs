//! The tool results of a body, each compressed and then said only as far as the ones before it do not say it.

use std::borrow::Cow;
use std::sync::Arc;

use tersely_account::RequestRecord;
use tersely_account::{ResultStatus, TextSize};
use tersely_core::{
    Ledger, Loss, Mode, O200k, Outcome, Plan, StandIn, compress_filtered, is_exceeded, replace, seal,
};
use tersely_wire::{Slot, Splice};

use crate::candidates::{self, OtherWords};
use crate::conversation::{Conversation, call};
use crate::filled::Filled;
use crate::memo::Past;
use crate::memo::Recall;
use crate::outcome::{Observation, record};
use crate::panic_guard::guarded;
use crate::parallel::each;
use crate::report::Report;
use crate::request::Request;
use crate::scope::Scope;
use crate::tools::retrieval::KeptOriginal;

/// What became of all results.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) edits: Vec<Splice>,
    /// What was left out of those that were not remembered.
    pub(crate) kept: Vec<KeptOriginal>,
    pub(crate) report: Report,
}

/// A result before the ones before it are looked at, and what is told of it.
struct Looked<'s> {
    found: Found<'s>,
    seen: Observation,
}

enum Found<'s> {
    /// It cannot be read, or we failed at reading it.
    Unread,
    /// It is to go on as it came, but for its secrets and what plays our marks.
    Left(MaskedText<'s>),
    /// We failed at it.
    Failed(MaskedText<'s>),
    /// Nothing of it was found to say shorter.
    Same(Plan, Cow<'s, str>, Ledger),
    Done(Plan, Cow<'s, str>, Outcome<'static>),
}

/// A text as it came, and what is sent for it, if that is another: the same without its secrets.
struct MaskedText<'s> {
    came: Cow<'s, str>,
    sent: Option<Outcome<'static>>,
}

impl<'s> MaskedText<'s> {
    /// The text by this plan, whatever else the plan says: no limit of size, tool or time goes before a mask.
    fn of(plan: Option<Plan>, slot: &Slot<'_>, came: Cow<'s, str>) -> Self {
        let masked = plan.and_then(|plan| guarded(|| seal(&plan, call(slot), &came)).flatten());
        let sent = masked
            .map(|(text, redacted)| Outcome { redacted, ..Outcome::unchanged(&O200k, &text) }.into_owned());
        Self { came, sent }
    }

    /// The same with nothing that plays our marks: no rule of size or tool may let somebody else's words pass for ours.
    fn told_apart(self, plan: Plan, slot: &Slot<'_>) -> Self {
        let shown = self.shown();
        let told = comes_back(plan, slot, &self.came)
            .then(|| guarded(|| tersely_core::leave(&plan, &O200k, call(slot), shown)))
            .flatten()
            .filter(|told| told.text != shown);
        let redacted = self.sent.as_ref().map_or(0, |sent| sent.redacted);
        match told.map(|told| Outcome { redacted, ..told.into_owned() }) {
            None => self,
            sent => Self { sent, ..self },
        }
    }

    /// What is sent.
    fn shown(&self) -> &str {
        self.sent.as_ref().map_or(&self.came, |sent| &sent.text)
    }
}

/// Compresses every result of a body, in order.
pub(crate) fn results(scope: &Scope<'_>, request: &Request<'_>, body: &[u8]) -> Results {
    let slots = match request.provider.slots(body) {
        Ok(slots) => slots,
        Err(error) => {
            let record = RequestRecord { faults: 1, ..RequestRecord::default() };
            let report = Report { unread: Some(error), record, ..Report::default() };
            return Results { report, ..Results::default() };
        }
    };
    settle(scope, request.memo, &slots)
}

/// Compresses every result that was found, in order.
pub(crate) fn settle(scope: &Scope<'_>, memo: Option<Recall<'_>>, slots: &[Slot<'_>]) -> Results {
    let memo = memo.filter(|_| scope.asked.session.memo != Some(false));
    let links = memo.map_or_else(Vec::new, |recall| recall.links(scope, slots));
    let mut past = memo.and_then(|recall| recall.take(&links)).unwrap_or_else(|| Past::new(scope));
    let mut results = Results::default();
    results.report.record.reused = past.filled.len();
    let renewed = memo.map_or_else(Vec::new, |recall| recall.changed(scope, slots));
    results.report.record.renewed = renewed.iter().filter(|is| **is).count();
    let plain = slots.get(..scope.plain).and_then(<[_]>::last).map_or(0, |slot| slot.span.end);
    let new: Vec<_> = slots.iter().enumerate().skip(past.filled.len()).collect();
    let found = each(&new, |(at, slot)| match slot {
        _ if slot.message < scope.frozen => leave(scope, ResultStatus::SkippedByConfig, slot),
        _ if slot.span.start < plain => leave(scope, ResultStatus::Passthrough, slot),
        _ => look(scope, *at, slot),
    });
    for ((at, slot), looked) in new.into_iter().zip(found) {
        let Looked { found, mut seen } = looked.unwrap_or_else(Looked::unread);
        seen.is_renewed = renewed.get(at).copied().unwrap_or_default();
        let (mut filled, kept) = fill(&mut past.conversation, slot, found);
        let result = record(at, slot, &seen, &filled);
        filled.report.record.results.push(Arc::new(result));
        past.filled.push(filled);
        results.kept.extend(kept);
    }
    for (slot, filled) in slots.iter().zip(&past.filled) {
        results.report.add(&filled.report);
        results.edits.extend(filled.sent.clone().map(|sent| (slot.span.clone(), Some(sent))));
    }
    if let (Some(recall), Some(last)) = (memo, links.last()) {
        recall.keep(*last, past);
    }
    results
}

impl<'s> Looked<'s> {
    /// One that cannot be read.
    fn unread() -> Self {
        Self::of(Found::Unread, Mode::Disabled, ResultStatus::Passthrough)
    }

    /// One that was found in this mode, and what becomes of it unless something is sent for it.
    fn of(found: Found<'s>, mode: Mode, otherwise: ResultStatus) -> Self {
        let text = match &found {
            Found::Unread => "",
            Found::Left(text) | Found::Failed(text) => &text.came,
            Found::Same(_, text, _) | Found::Done(_, text, _) => text,
        };
        let seen = Observation {
            mode: mode.name(),
            otherwise,
            came: TextSize::of(text),
            is_kept: false,
            is_renewed: false,
            looks: text.trim_start().starts_with(['{', '[']).then_some("json"),
        };
        Self { found, seen }
    }
}

/// A result that stays as it came, but for its secrets, and why.
fn leave<'s>(scope: &Scope<'_>, why: ResultStatus, slot: &Slot<'s>) -> Looked<'s> {
    let masked = |text| MaskedText::of(scope.plan(&slot.call.tool), slot, text);
    let left = |text| Looked::of(Found::Left(masked(text)), Mode::Disabled, why);
    slot.text().map_or_else(Looked::unread, left)
}

/// What a result becomes by itself.
fn look<'s>(scope: &Scope<'_>, at: usize, slot: &Slot<'s>) -> Looked<'s> {
    let Some(text) = slot.text() else { return Looked::unread() };
    let Some(plan) = scope.plan(&slot.call.tool) else {
        return Looked::of(
            Found::Left(MaskedText::of(None, slot, text)),
            Mode::Disabled,
            ResultStatus::SkippedByConfig,
        );
    };
    if let Some(why) = passed_over(scope, plan, slot, &text) {
        let left = MaskedText::of(Some(plan), slot, text).told_apart(plan, slot);
        let mode = if scope.skips(&slot.call.tool) { Mode::Disabled } else { plan.mode };
        return Looked::of(Found::Left(left), mode, why);
    }
    let outcome = guarded(|| {
        let words = candidates::words(scope, at, &plan, (slot, &text));
        let outcome = match &words {
            Some(words) => replaced(plan, slot, &text, words),
            None => compressed(scope, plan, slot, &text),
        };
        if is_new(&outcome) { Ok(outcome.into_owned()) } else { Err(outcome.ledger) }
    });
    let found = match outcome {
        Some(Ok(outcome)) => Found::Done(plan, text, outcome),
        Some(Err(ledger)) => Found::Same(plan, text, ledger),
        None => Found::Failed(MaskedText::of(Some(plan), slot, text)),
    };
    let mut looked = Looked::of(found, plan.mode, ResultStatus::RatioExceeded);
    looked.seen.is_kept = scope.agreed.is_some_and(|agreed| agreed.is_kept(at));
    looked
}

/// Why nothing but its secrets and what plays our marks is changed of a result, if so.
fn passed_over(scope: &Scope<'_>, plan: Plan, slot: &Slot<'_>, text: &str) -> Option<ResultStatus> {
    match plan.takes(text.len()) {
        _ if scope.skips(&slot.call.tool) => Some(ResultStatus::SkippedByConfig),
        true if comes_back(plan, slot, text) => None,
        true => Some(ResultStatus::SkippedByConfig),
        false if text.len() <= plan.min_bytes => Some(ResultStatus::PassthroughSmall),
        false => Some(ResultStatus::PassthroughLarge),
    }
}

/// True when it is more than a copy of what came: those of a large body would take as much room again.
fn is_new(outcome: &Outcome<'_>) -> bool {
    !matches!(outcome, Outcome { text: Cow::Borrowed(_), redacted: 0, ledger, original: None } if ledger.steps.is_empty())
}

/// True when a text can go another way: under no loss, only one that would be written again as the client wrote it.
fn comes_back(plan: Plan, slot: &Slot<'_>, text: &str) -> bool {
    plan.loss > Loss::None || slot.is_spelled(text)
}

/// A result that others have shortened, if what they say is of use.
fn replaced<'t>(plan: Plan, slot: &Slot<'_>, text: &'t str, words: &OtherWords<'_>) -> Outcome<'t> {
    let stands: Vec<_> = words.iter().map(|(stage, text)| StandIn { stage, text }).collect();
    replace(&plan, &O200k, call(slot), text, &stands)
}

fn compressed<'t>(scope: &Scope<'_>, plan: Plan, slot: &Slot<'_>, text: &'t str) -> Outcome<'t> {
    // An error is what the agent must see as it was: at most an exact form may stand for it.
    let loss = if slot.is_error { Loss::None } else { plan.loss };
    compress_filtered(&Plan { loss, ..plan }, &scope.settings.filters, &O200k, call(slot), text)
}

/// What stands for a result after the ones before it, and what was left out of it.
fn fill(past: &mut Conversation, slot: &Slot<'_>, found: Found<'_>) -> (Filled, Option<KeptOriginal>) {
    match found {
        Found::Unread => {
            past.skip(slot);
            (Filled { sent: None, report: Report::of_slot(1) }, None)
        }
        Found::Left(text) => {
            past.remember(slot, text.shown());
            (left(text, 0), None)
        }
        Found::Failed(text) => (failed(past, slot, text), None),
        Found::Same(plan, text, ledger) => {
            let outcome = Outcome { text: Cow::Borrowed(&*text), redacted: 0, ledger, original: None };
            refer(past, plan, slot, &text, outcome)
        }
        Found::Done(plan, text, outcome) => refer(past, plan, slot, &text, outcome),
    }
}

/// A result that goes on as it came, but for what is sent of it.
fn left(text: MaskedText<'_>, faults: usize) -> Filled {
    let mut report = Report::of_slot(faults);
    let Some(sent) = text.sent else {
        report.leave(&text.came);
        return Filled { sent: None, report };
    };
    report.book(&text.came, &sent);
    Filled { sent: Some(sent.text.into_owned()), report }
}

/// A result at which we failed.
fn failed(past: &mut Conversation, slot: &Slot<'_>, text: MaskedText<'_>) -> Filled {
    past.skip(slot);
    left(text, 1)
}

/// A result with references to the ones before it.
fn refer(
    past: &mut Conversation,
    plan: Plan,
    slot: &Slot<'_>,
    text: &str,
    outcome: Outcome<'_>,
) -> (Filled, Option<KeptOriginal>) {
    let Some(outcome) = guarded(|| past.refer(plan, slot, text, outcome)) else {
        return (failed(past, slot, MaskedText::of(Some(plan), slot, Cow::Borrowed(text))), None);
    };
    let over_limit = usize::from(is_exceeded(&plan, &outcome.text));
    let mut report = Report { over_limit, ..Report::of_slot(0) };
    report.book(text, &outcome);
    if outcome.text == text {
        return (Filled { sent: None, report }, None);
    }
    let sent = Some(outcome.text.clone().into_owned());
    (Filled { sent, report }, KeptOriginal::of(outcome))
}

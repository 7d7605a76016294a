//! Compresses each tool result of a body, then replaces text that earlier results already show with references.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use tersely_account::RequestRecord;
use tersely_account::{ResultStatus, TextSize};
use tersely_core::{
    Ledger, Loss, Mode, O200k, Outcome, Plan, StandIn, clear, compress_filtered, is_exceeded, replace, seal,
};
use tersely_wire::{Reading, Slot, string};

use crate::candidates::{self, Substitutes};
use crate::clear::{ClearPlan, ClearedResult};
use crate::conversation::Conversation;
use crate::masked_text::{MaskedText, is_rewritable};
use crate::memo::Recall;
use crate::memo::past::{Past, PastResults};
use crate::outcome::{Observation, record};
use crate::panic_guard::catch_panic;
use crate::parallel::each;
use crate::report::Report;
use crate::scope::Scope;
use crate::sent_body::BodyEdit;
use crate::slot_call::call;
use crate::tools::retrieval::KeptOriginal;

/// The edits for all results, and their account.
#[derive(Default)]
pub(crate) struct Results {
    /// What replaces each result; `None` where a result stays unchanged.
    pub(crate) tokens: Vec<Option<Bytes>>,
    /// Originals of the results that were cut, except those taken from the memo.
    pub(crate) kept: Vec<KeptOriginal>,
    pub(crate) report: Report,
    /// What the next result of the conversation depends on.
    pub(crate) past: Option<Arc<PastResults>>,
}

impl Results {
    /// The edits of a body with these slots.
    pub(crate) fn edits(&self, slots: &[Slot<'_>]) -> Vec<BodyEdit> {
        let edits = slots.iter().zip(&self.tokens);
        edits.filter_map(|(slot, token)| Some((slot.span.clone(), token.clone()?))).collect()
    }
}

/// A result compressed on its own, before references to earlier results are added, and the facts for its record.
struct Draft<'s> {
    state: DraftState<'s>,
    seen: Observation,
}

/// The state of a result after it was compressed on its own.
enum DraftState<'s> {
    /// The result cannot be read.
    Unread,
    /// The result stays unchanged, except for secrets and imitations of our marks.
    Unchanged(MaskedText<'s>),
    /// Compression of the result failed.
    Failed(MaskedText<'s>),
    /// No shorter form was found.
    Same(Plan, Cow<'s, str>, Ledger),
    /// The result was compressed.
    Done(Plan, Cow<'s, str>, Outcome<'static>),
    /// The result was cleared.
    Cleared(Cow<'s, str>, Outcome<'static>),
}

/// Compresses the results of a body, in order. Results that an earlier request contained are taken from `past`.
pub(crate) fn results(
    scope: &Scope<'_>,
    memo: Option<Recall<'_>>,
    past: Option<&Past>,
    reading: &Reading<'_>,
) -> Results {
    if let Some(error) = reading.error() {
        let record = RequestRecord { faults: 1, ..RequestRecord::default() };
        let report = Report { unread: Some(error), record, ..Report::default() };
        return Results { report, ..Results::default() };
    }
    let slots = reading.slots();
    let renewed = memo.map_or_else(Vec::new, |recall| recall.changed_results(scope, slots));
    let mut results = match past {
        Some(past) if past.slots.len() == slots.len() => reuse_results(past),
        _ => compress_clearing(scope, past, slots, &|known| clear_plan(scope, reading, known)),
    };
    mark_changed(&mut results.report.record, &renewed);
    results
}

/// Marks the results that have changed since an earlier request. A result from the memo may still have the mark of the
/// request that changed it.
fn mark_changed(record: &mut RequestRecord, changed: &[bool]) {
    record.renewed = changed.iter().filter(|is| **is).count();
    for (result, is_renewed) in record.results.iter_mut().zip(changed) {
        if result.is_renewed != *is_renewed {
            Arc::make_mut(result).is_renewed = *is_renewed;
        }
    }
}

/// The results of a request that has no new ones.
fn reuse_results(past: &Past) -> Results {
    let mut report = past.results.report.clone();
    report.record.reused = past.slots.len();
    Results { tokens: past.tokens(), kept: Vec::new(), report, past: Some(Arc::clone(&past.results)) }
}

/// Compresses the results of these slots, in order. Those of `past` are not compressed again, unless another request
/// is continuing the same conversation at this moment.
pub(crate) fn compress(scope: &Scope<'_>, past: Option<&Past>, slots: &[Slot<'_>]) -> Results {
    compress_clearing(scope, past, slots, &|_| ClearPlan::default())
}

/// The same, with results cleared by the plan that `clear` makes, given the number of results that are known.
fn compress_clearing(
    scope: &Scope<'_>,
    past: Option<&Past>,
    slots: &[Slot<'_>],
    clear: &dyn Fn(usize) -> ClearPlan,
) -> Results {
    let past = past.and_then(|past| Some((past, past.results.take_conversation()?)));
    let mut results = Results::default();
    let mut conversation = match past {
        Some((past, conversation)) => {
            (results.tokens, results.report) = (past.tokens(), past.results.report.clone());
            conversation
        }
        None => Conversation::new(scope),
    };
    let known = results.tokens.len();
    let plain_end = slots.get(..scope.plain_results).and_then(<[_]>::last).map_or(0, |slot| slot.span.end);
    let new: Vec<_> = slots.iter().enumerate().skip(known).collect();
    let cleared = clear(known);
    let drafts = each(&new, |(at, slot)| match slot {
        _ if slot.message < scope.frozen_messages => {
            keep_unchanged(scope, ResultStatus::SkippedByConfig, slot)
        }
        _ if slot.span.start < plain_end => keep_unchanged(scope, ResultStatus::Passthrough, slot),
        _ => clear_draft(scope, cleared.get(*at), slot, compress_alone(scope, *at, slot)),
    });
    for ((at, slot), draft) in new.into_iter().zip(drafts) {
        let Draft { state, seen } = draft.unwrap_or_else(Draft::unreadable);
        let FilledResult { sent, mut report, kept } = fill(&mut conversation, slot, state);
        let result = record(at, slot, &seen, sent.as_deref(), &report);
        report.record.results.push(Arc::new(result));
        results.report.add(&report);
        results.tokens.push(sent.map(|sent| string_token(&sent)));
        results.kept.extend(kept);
    }
    results.past = Some(Arc::new(PastResults::new(results.report.clone(), conversation)));
    results.report.record.reused = known;
    results
}

/// A text as a JSON string.
fn string_token(text: &str) -> Bytes {
    let mut token = Vec::with_capacity(text.len() + text.len() / 16 + 2);
    string::encode(&mut token, text);
    token.into()
}

impl<'s> Draft<'s> {
    /// A result that cannot be read.
    fn unreadable() -> Self {
        Self::of(DraftState::Unread, Mode::Disabled, ResultStatus::Passthrough)
    }

    /// A draft in this state; `otherwise` is the status to report if no other text is sent for the result.
    fn of(state: DraftState<'s>, mode: Mode, otherwise: ResultStatus) -> Self {
        let text = match &state {
            DraftState::Unread => "",
            DraftState::Unchanged(text) | DraftState::Failed(text) => &text.came,
            DraftState::Same(_, text, _) | DraftState::Done(_, text, _) | DraftState::Cleared(text, _) => {
                text
            }
        };
        let seen = Observation {
            mode: mode.name(),
            otherwise,
            came: TextSize::of(text),
            is_kept: false,
            looks: text.trim_start().starts_with(['{', '[']).then_some("json"),
        };
        Self { state, seen }
    }
}

/// A draft for a result that stays unchanged, except for secrets; `why` is the reason to report.
fn keep_unchanged<'s>(scope: &Scope<'_>, why: ResultStatus, slot: &Slot<'s>) -> Draft<'s> {
    let masked = |text| MaskedText::of(scope.plan(&slot.call.tool), slot, text);
    let draft = |text| Draft::of(DraftState::Unchanged(masked(text)), Mode::Disabled, why);
    slot.text().map_or_else(Draft::unreadable, draft)
}

/// Compresses a result on its own, without references to earlier results.
fn compress_alone<'s>(scope: &Scope<'_>, at: usize, slot: &Slot<'s>) -> Draft<'s> {
    let Some(text) = slot.text() else { return Draft::unreadable() };
    let Some(plan) = scope.plan(&slot.call.tool) else {
        return Draft::of(
            DraftState::Unchanged(MaskedText::of(None, slot, text)),
            Mode::Disabled,
            ResultStatus::SkippedByConfig,
        );
    };
    if let Some(why) = reason_to_skip(scope, plan, slot, &text) {
        let text = MaskedText::of(Some(plan), slot, text).escape_marks(plan, slot);
        let mode = if scope.skips(&slot.call.tool) { Mode::Disabled } else { plan.mode };
        return Draft::of(DraftState::Unchanged(text), mode, why);
    }
    let outcome = catch_panic(|| {
        let words = candidates::substitutes(scope, at, &plan, (slot, &text));
        let outcome = match &words {
            Some(words) => substitute(plan, slot, &text, words),
            None => compress_result(scope, plan, slot, &text),
        };
        if is_new(&outcome) { Ok(outcome.into_owned()) } else { Err(outcome.ledger) }
    });
    let state = match outcome {
        Some(Ok(outcome)) => DraftState::Done(plan, text, outcome),
        Some(Err(ledger)) => DraftState::Same(plan, text, ledger),
        None => DraftState::Failed(MaskedText::of(Some(plan), slot, text)),
    };
    let mut draft = Draft::of(state, plan.mode, ResultStatus::RatioExceeded);
    draft.seen.is_kept = scope.answers.is_some_and(|answers| answers.is_stored(at));
    draft
}

/// What stands for the results that were cleared, unless the first `known` results are all of them.
fn clear_plan(scope: &Scope<'_>, reading: &Reading<'_>, known: usize) -> ClearPlan {
    if known >= ClearPlan::reach(scope.clearings, reading) {
        return ClearPlan::default();
    }
    let shown = |slot: &Slot<'_>| {
        let text = slot.text().unwrap_or_default();
        let sealed = scope.plan(&slot.call.tool).and_then(|plan| seal(&plan, call(slot), &text));
        sealed.map_or_else(|| text.into_owned(), |(sealed, _)| sealed)
    };
    catch_panic(|| ClearPlan::of(scope.clearings, reading, &shown)).unwrap_or_default()
}

/// The draft of a result that is cleared, if that is cheaper; else `draft`, as the result is sent otherwise.
fn clear_draft<'s>(
    scope: &Scope<'_>,
    cleared: Option<&ClearedResult>,
    slot: &Slot<'_>,
    draft: Draft<'s>,
) -> Draft<'s> {
    let plan = scope.plan(&slot.call.tool).filter(|_| !scope.skips(&slot.call.tool));
    let Some((cleared, plan)) = cleared.zip(plan) else { return draft };
    let Draft { state, seen } = draft;
    let (text, sent) = match &state {
        DraftState::Unread | DraftState::Failed(_) | DraftState::Cleared(..) => return Draft { state, seen },
        DraftState::Unchanged(text) => (&text.came, O200k.count(text.text())),
        DraftState::Same(_, text, ledger) => (text, ledger.after),
        DraftState::Done(_, text, outcome) => (text, outcome.ledger.after),
    };
    let limit = sent.saturating_sub(1);
    let outcome = (sent >= cleared.least)
        .then(|| {
            catch_panic(|| clear(&plan, call(slot), text, &cleared.words, limit).map(Outcome::into_owned))
        })
        .flatten()
        .flatten();
    match outcome {
        None => Draft { state, seen },
        Some(outcome) => Draft { state: DraftState::Cleared(text.clone(), outcome), seen },
    }
}

/// Why a result stays unchanged, except for secrets and imitations of our marks; `None` if it is compressed.
fn reason_to_skip(scope: &Scope<'_>, plan: Plan, slot: &Slot<'_>, text: &str) -> Option<ResultStatus> {
    match plan.takes(text.len()) {
        _ if scope.skips(&slot.call.tool) => Some(ResultStatus::SkippedByConfig),
        true if is_rewritable(plan, slot, text) => None,
        true => Some(ResultStatus::SkippedByConfig),
        false if text.len() <= plan.min_bytes => Some(ResultStatus::PassthroughSmall),
        false => Some(ResultStatus::PassthroughLarge),
    }
}

/// True when an outcome differs from its text. Unchanged texts are not copied, because that would double the memory for
/// a large body.
fn is_new(outcome: &Outcome<'_>) -> bool {
    !matches!(outcome, Outcome { text: Cow::Borrowed(_), redacted: 0, ledger, original: None } if ledger.steps.is_empty())
}

/// Replaces a result with another compressor's text, if that text can be used.
fn substitute<'t>(plan: Plan, slot: &Slot<'_>, text: &'t str, words: &Substitutes<'_>) -> Outcome<'t> {
    let stand_ins: Vec<_> = words.iter().map(|(stage, text)| StandIn { stage, text }).collect();
    replace(&plan, call(slot), text, &stand_ins)
}

fn compress_result<'t>(scope: &Scope<'_>, plan: Plan, slot: &Slot<'_>, text: &'t str) -> Outcome<'t> {
    // The agent must see the exact text of an error, so only exact forms are allowed for errors.
    let loss = if slot.is_error { Loss::None } else { plan.loss };
    compress_filtered(&Plan { loss, ..plan }, &scope.settings.filters, call(slot), text)
}

/// The text that is sent for one result, its report, and its original if it was cut.
struct FilledResult {
    /// The text that replaces the result; `None` when the result stays unchanged.
    sent: Option<String>,
    report: Report,
    kept: Option<KeptOriginal>,
}

/// The text that is sent for a result, given the earlier results.
fn fill(past: &mut Conversation, slot: &Slot<'_>, state: DraftState<'_>) -> FilledResult {
    match state {
        DraftState::Unread => {
            past.skip(slot);
            FilledResult { sent: None, report: Report::of_slot(1), kept: None }
        }
        DraftState::Unchanged(text) => {
            past.remember(slot, text.text());
            fill_unchanged(text, 0)
        }
        DraftState::Failed(text) => fill_failed(past, slot, text),
        DraftState::Cleared(text, outcome) => fill_cleared(past, slot, &text, outcome),
        DraftState::Same(plan, text, ledger) => {
            let outcome = Outcome { text: Cow::Borrowed(&*text), redacted: 0, ledger, original: None };
            fill_with_references(past, plan, slot, &text, outcome)
        }
        DraftState::Done(plan, text, outcome) => fill_with_references(past, plan, slot, &text, outcome),
    }
}

/// The slot of a result that stays unchanged, except for masked secrets.
fn fill_unchanged(text: MaskedText<'_>, faults: usize) -> FilledResult {
    let mut report = Report::of_slot(faults);
    let Some(sent) = text.sent else {
        report.leave(&text.came);
        return FilledResult { sent: None, report, kept: None };
    };
    report.book(&text.came, &sent);
    FilledResult { sent: Some(sent.text.into_owned()), report, kept: None }
}

/// The slot of a result whose compression failed.
fn fill_failed(past: &mut Conversation, slot: &Slot<'_>, text: MaskedText<'_>) -> FilledResult {
    past.skip(slot);
    fill_unchanged(text, 1)
}

/// The slot of a result that was cleared. No later result refers to it.
fn fill_cleared(past: &mut Conversation, slot: &Slot<'_>, text: &str, outcome: Outcome<'_>) -> FilledResult {
    past.skip(slot);
    let mut report = Report::of_slot(0);
    report.book(text, &outcome);
    let sent = Some(outcome.text.clone().into_owned());
    FilledResult { sent, report, kept: KeptOriginal::of(outcome) }
}

/// The slot of a result with references to earlier results.
fn fill_with_references(
    past: &mut Conversation,
    plan: Plan,
    slot: &Slot<'_>,
    text: &str,
    outcome: Outcome<'_>,
) -> FilledResult {
    let Some(outcome) = catch_panic(|| past.refer(plan, slot, text, outcome)) else {
        return fill_failed(past, slot, MaskedText::of(Some(plan), slot, Cow::Borrowed(text)));
    };
    let over_limit = usize::from(is_exceeded(&plan, &outcome.text));
    let mut report = Report { over_limit, ..Report::of_slot(0) };
    report.book(text, &outcome);
    if outcome.text == text {
        return FilledResult { sent: None, report, kept: None };
    }
    let sent = Some(outcome.text.clone().into_owned());
    FilledResult { sent, report, kept: KeptOriginal::of(outcome) }
}

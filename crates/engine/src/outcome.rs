//! Tells what became of a result, by what was found out about it and what is sent for it.

use tersely_core::{Call, Family, redact};
use tersely_proof::stable_hash;
use tersely_wire::Slot;

use crate::account::result::{ESCAPE, ResultFate, ResultNote, TextMeasure};
use crate::account::tokens::ResultTally;
use crate::conversation::call;
use crate::filled_slot::FilledSlot;

/// What was found out about a result before it was filled.
pub(crate) struct Observation {
    pub(crate) mode: &'static str,
    /// What becomes of it, unless something is sent for it.
    pub(crate) otherwise: ResultFate,
    pub(crate) came: TextMeasure,
    pub(crate) is_kept: bool,
    pub(crate) is_renewed: bool,
    /// What the text is by its looks, where it is nobody's.
    pub(crate) looks: Option<&'static str>,
}

/// What is told of the result at a place, and of what stands for it.
pub(crate) fn noted(at: usize, slot: &Slot<'_>, seen: &Observation, filled: &FilledSlot) -> ResultNote {
    let (asked, report) = (call(slot), &filled.report);
    let stages: Vec<_> = report.stages.iter().map(|saving| (saving.stage, saving.saved)).collect();
    ResultNote {
        name: name(at, slot),
        call: asked.id.into(),
        tool: asked.tool.into(),
        message: slot.message,
        at,
        kind: asked.tool_kind().name(),
        family: family(&asked, seen.looks),
        mode: seen.mode,
        fate: fate(seen, filled, &stages),
        is_changed: report.changed > 0,
        is_renewed: seen.is_renewed,
        stages,
        came: seen.came,
        sent: filled.sent.as_deref().map_or(seen.came, TextMeasure::of),
        tally: ResultTally { before: report.before, after: report.after },
        redacted: report.redacted,
        arguments: asked.command.map(|command| stable_hash(&*redact(command))),
        would: None,
    }
}

fn fate(seen: &Observation, filled: &FilledSlot, stages: &[(&str, i64)]) -> ResultFate {
    let report = &filled.report;
    match filled.sent {
        _ if report.faults > 0 => ResultFate::Failed,
        Some(_) if report.redacted == 0 && stages.iter().all(|(stage, _)| *stage == ESCAPE) => {
            ResultFate::Ours
        }
        Some(_) if report.after < report.before && seen.is_kept => ResultFate::Kept,
        Some(_) if report.after < report.before => ResultFate::Shortened,
        _ => seen.otherwise,
    }
}

/// Whose output it is; of what is nobody's, what it looks like.
fn family(call: &Call<'_>, looks: Option<&'static str>) -> &'static str {
    match call.family() {
        Family::Generic => looks.unwrap_or(Family::Generic.name()),
        family => family.name(),
    }
}

/// A name by which a result is known when a later request sends it again: its call and its text, and its place where
/// the call has no name.
fn name(at: usize, slot: &Slot<'_>) -> u64 {
    let id = &*slot.call.id;
    stable_hash(&(id.is_empty().then_some(at), id, slot.token))
}

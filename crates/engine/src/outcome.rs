//! Builds the record of a result from the facts found before it was filled and from the text that is sent for it.

use tersely_account::{
    RequestRecord, ResultGroup, ResultPlace, ResultRecord, ResultStatus, ShownName, TextSize, TokenChange,
    stable_hash,
};
use tersely_core::{Call, Family, redact};
use tersely_wire::Slot;

use crate::report::{ESCAPE, Report};
use crate::slot_call::call;

/// The facts about a result that are known before its slot is filled.
pub(crate) struct Observation {
    pub(crate) mode: &'static str,
    /// The status of the result if no other text is sent for it.
    pub(crate) otherwise: ResultStatus,
    pub(crate) came: TextSize,
    pub(crate) is_kept: bool,
    /// The family that the text looks like, for a result that belongs to no known program.
    pub(crate) looks: Option<&'static str>,
}

/// The record of the result at index `at`, and of the text that is sent for it.
pub(crate) fn record(
    at: usize,
    slot: &Slot<'_>,
    seen: &Observation,
    sent: Option<&str>,
    report: &Report,
) -> ResultRecord {
    let (asked, record) = (call(slot), &report.record);
    ResultRecord {
        id: name(at, slot),
        call: ShownName::of(asked.id),
        tool: ShownName::of(asked.tool),
        place: ResultPlace { message: slot.message, result: at },
        group: ResultGroup { tool: asked.tool_kind().name(), family: family(&asked, seen.looks) },
        mode: seen.mode,
        status: status(seen, sent, record),
        is_changed: record.changed > 0,
        is_renewed: false,
        stages: record.stages.iter().map(|saving| (saving.stage, saving.saved)).collect(),
        before: seen.came,
        after: sent.map_or(seen.came, TextSize::of),
        tokens: record.result_tokens,
        redacted: record.redacted,
        arguments: asked.command.map(|command| stable_hash(&*redact(command))),
        would: None,
    }
}

fn status(seen: &Observation, sent: Option<&str>, record: &RequestRecord) -> ResultStatus {
    let TokenChange { before, after } = record.result_tokens;
    match sent {
        _ if record.faults > 0 => ResultStatus::Passthrough,
        Some(_) if record.redacted == 0 && record.stages.iter().all(|saving| saving.stage == ESCAPE) => {
            ResultStatus::AlreadyCompressed
        }
        Some(_) if after < before && seen.is_kept => ResultStatus::CacheHit,
        Some(_) if after < before => ResultStatus::Compressed,
        _ => seen.otherwise,
    }
}

/// The family of the program that wrote the output; if it is unknown, the family that the text looks like.
fn family(call: &Call<'_>, looks: Option<&'static str>) -> &'static str {
    match call.family() {
        Family::Generic => looks.unwrap_or(Family::Generic.name()),
        family => family.name(),
    }
}

/// An id that a result keeps when a later request sends it again. It covers the call id and the text, and the result's
/// index if the call has no id.
fn name(at: usize, slot: &Slot<'_>) -> u64 {
    let id = &*slot.call.id;
    stable_hash(&(id.is_empty().then_some(at), id, slot.token))
}

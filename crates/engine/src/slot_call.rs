//! The call that a result answers, as stages see it.

use tersely_core::Call;
use tersely_wire::Slot;

/// The call that a result answers.
pub(crate) fn call<'s>(slot: &'s Slot<'_>) -> Call<'s> {
    let tersely_wire::SlotCall { id, tool, command, is_part } = &*slot.call;
    Call { id, tool, command: command.as_deref(), is_part: *is_part }
}

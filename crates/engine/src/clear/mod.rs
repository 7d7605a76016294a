//! Clears old results when the provider's cache is gone: a few words stand for each, and the model can fetch it back.
//!
//! Which results are cleared follows from the messages up to a point where the conversation was cleared. Whoever knows
//! the points of a conversation makes the same bytes of it.

mod age;
mod names;
mod quote;
mod stub;
mod subject;

use std::collections::HashMap;

use tersely_wire::{Reading, Slot, SpokenMessage};

use crate::clear::age::OldResults;
use crate::clear::names::VisibleNames;
use crate::clear::quote::QuotedLines;
use crate::clear::stub::Stub;
use crate::clear_point::ClearPoint;

/// What stands for the results that are cleared, by the index of their slot.
#[derive(Default)]
pub(crate) struct ClearPlan(HashMap<usize, ClearedResult>);

/// What stands for a result that is cleared, if it costs enough.
pub(crate) struct ClearedResult {
    pub(crate) words: String,
    pub(crate) least: usize,
}

impl ClearPlan {
    /// The number of slots of a body that lie before the last of these points.
    pub(crate) fn reach(points: &[ClearPoint], reading: &Reading<'_>) -> usize {
        let Some(last) = points.iter().map(|point| point.messages).max() else { return 0 };
        let messages = reading.messages();
        let end =
            last.checked_sub(1).and_then(|last| messages.get(last)).map_or(0, |message| message.span.end);
        reading.slots().partition_point(|slot| slot.span.start < end)
    }

    /// The plan for a body that was cleared at these points, the earliest first. A body that does not reach a point was
    /// not cleared there. `shown` is the text of a result with its secrets masked.
    pub(crate) fn of(
        points: &[ClearPoint],
        reading: &Reading<'_>,
        shown: &dyn Fn(&Slot<'_>) -> String,
    ) -> Self {
        let messages = reading.messages();
        let mut plan = Self::default();
        for point in points.iter().filter(|point| (1..=messages.len()).contains(&point.messages)) {
            plan.clear(point.least, &messages[..point.messages], (reading, shown));
        }
        plan
    }

    /// What stands for a result that is cleared.
    pub(crate) fn get(&self, slot: usize) -> Option<&ClearedResult> {
        self.0.get(&slot)
    }

    /// Clears what is old at the end of these messages.
    fn clear(
        &mut self,
        least: usize,
        messages: &[SpokenMessage],
        (reading, shown): (&Reading<'_>, &dyn Fn(&Slot<'_>) -> String),
    ) {
        let old = OldResults::of(messages, reading.slots());
        let Some(end) = messages.last().map(|message| message.span.end).filter(|_| !old.is_empty()) else {
            return;
        };
        let count = reading.slots().partition_point(|slot| slot.span.start < end);
        let slots = &reading.slots()[..count];
        let texts: Vec<_> = slots.iter().map(shown).collect();
        let said: Vec<_> = reading.spoken_strings().take_while(|(at, _)| *at < end).collect();
        let quoted = QuotedLines::of(slots, &texts, &said);
        let chosen: Vec<_> = old
            .iter()
            .filter(|old| {
                !self.0.contains_key(&old.slot) && old.may_clear(&slots[old.slot], &texts[old.slot])
            })
            .collect();
        let is_hidden =
            |slot: &usize| self.0.contains_key(slot) || chosen.iter().any(|old| old.slot == *slot);
        // A person who names a thing does not say where it is.
        let is_models = |at: usize| {
            let message = messages.partition_point(|message| message.span.end <= at);
            messages.get(message).is_some_and(|message| message.is_model)
        };
        let told = said.iter().filter(|(at, _)| is_models(*at));
        let mut visible = VisibleNames::of(told.map(|(_, text)| &**text));
        (0..slots.len()).filter(|slot| !is_hidden(slot)).for_each(|slot| visible.show(&texts[slot]));
        for old in chosen {
            let slot = old.slot;
            let text = &texts[slot];
            let stub = Stub { old, slot: &slots[slot], text, quoted: quoted.of_result(slot, text) };
            if let Some(words) = stub.words(&mut visible) {
                self.0.insert(slot, ClearedResult { words, least });
            }
        }
    }
}

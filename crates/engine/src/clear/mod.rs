//! Clears old results when the provider's cache is gone: a few words stand for each, and the model can fetch it back.
//!
//! Which results are cleared follows from the messages up to a point where the conversation was cleared. Whoever knows
//! the points of a conversation makes the same bytes of it.

mod age;
mod names;
mod quote;
mod stub;
mod subject;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use tersely_wire::{Reading, Slot, SpokenMessage};

use crate::clear::age::{OldResult, OldResults};
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
        let points: Vec<_> =
            points.iter().filter(|point| (1..=messages.len()).contains(&point.messages)).collect();
        let Some(last) = points.iter().map(|point| point.messages).max() else { return plan };
        let conversation = ClearedConversation::of(reading, messages[last - 1].span.end, shown);
        for point in points {
            plan.clear(point.least, &messages[..point.messages], &conversation);
        }
        plan
    }

    /// What stands for a result that is cleared.
    pub(crate) fn get(&self, slot: usize) -> Option<&ClearedResult> {
        self.0.get(&slot)
    }

    /// Clears what is old at the end of these messages.
    fn clear(&mut self, least: usize, messages: &[SpokenMessage], conversation: &ClearedConversation<'_>) {
        let Some(end) = messages.last().map(|message| message.span.end) else { return };
        let (slots, texts, said) = conversation.until(end);
        let old = OldResults::of(messages, slots);
        let may_clear = |old: &&OldResult| {
            !self.0.contains_key(&old.slot) && old.may_clear(&slots[old.slot], &texts[old.slot])
        };
        let chosen: Vec<_> = old.iter().filter(may_clear).collect();
        if chosen.is_empty() {
            return;
        }
        let quoted = QuotedLines::of(slots, texts, said);
        let mut visible = VisibleNames::of(model_words(messages, said));
        let hidden: HashSet<_> = self.0.keys().copied().chain(chosen.iter().map(|old| old.slot)).collect();
        let shown = texts.iter().enumerate().filter(|(slot, _)| !hidden.contains(slot));
        shown.for_each(|(_, text)| visible.show(text));
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

/// What the model has said, with the names of its calls. A person who names a thing does not say where it is.
fn model_words<'s>(messages: &[SpokenMessage], said: &'s [SaidText<'_>]) -> impl Iterator<Item = &'s str> {
    let is_models = |at: usize| {
        let message = messages.partition_point(|message| message.span.end <= at);
        messages.get(message).is_some_and(|message| message.is_model)
    };
    said.iter().filter(move |(at, _)| is_models(*at)).map(|(_, text)| &**text)
}

/// A string beside the results, with its position.
type SaidText<'a> = (usize, Cow<'a, str>);

/// A conversation up to the last point at which it was cleared, read once for all points.
struct ClearedConversation<'a> {
    slots: &'a [Slot<'a>],
    /// The text of each slot, with its secrets masked.
    texts: Vec<String>,
    /// What was said beside the results.
    said: Vec<SaidText<'a>>,
}

impl<'a> ClearedConversation<'a> {
    fn of(reading: &'a Reading<'a>, end: usize, shown: &dyn Fn(&Slot<'_>) -> String) -> Self {
        let count = reading.slots().partition_point(|slot| slot.span.start < end);
        let slots = &reading.slots()[..count];
        let said = reading.spoken_strings().take_while(|(at, _)| *at < end).collect();
        Self { slots, texts: slots.iter().map(shown).collect(), said }
    }

    /// What stands before this position.
    fn until(&self, end: usize) -> (&[Slot<'a>], &[String], &[SaidText<'a>]) {
        let slots = self.slots.partition_point(|slot| slot.span.start < end);
        let said = self.said.partition_point(|(at, _)| *at < end);
        (&self.slots[..slots], &self.texts[..slots], &self.said[..said])
    }
}

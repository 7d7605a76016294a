//! Finds the results that are old at a point, and those of them that later results supersede.

use std::collections::HashSet;

use tersely_core::{Origin, ToolKind, lost_errors};
use tersely_wire::{Slot, SpokenMessage};

use crate::clear::subject::{EditedFiles, Subject};
use crate::slot_call::call;

/// The number of the model's latest turns whose results stay.
const LATEST_TURNS: usize = 10;

/// The old results.
pub(super) struct OldResults(Vec<OldResult>);

/// An old result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OldResult {
    pub(super) slot: usize,
    /// True when a later result shows the same again: the same file, or the output of the same command.
    pub(super) is_superseded: bool,
}

impl OldResults {
    /// The results in these slots that are old at the end of these messages, which contain them: the model has spoken often since, and so has a person.
    pub(super) fn of(messages: &[SpokenMessage], slots: &[Slot<'_>]) -> Self {
        let is_turn = |at: usize| messages[at].is_model && (at == 0 || !messages[at - 1].is_model);
        let turn = (0..messages.len()).rev().filter(|at| is_turn(*at)).nth(LATEST_TURNS - 1);
        let person = messages.iter().rposition(|message| message.is_human);
        let Some((turn, person)) = turn.zip(person) else { return Self(Vec::new()) };
        let border = messages[turn.min(person)].span.start;
        let mut later = LaterResults::default();
        let mut old = Vec::new();
        for (at, slot) in slots.iter().enumerate().rev() {
            let verdict = later.judge(slot);
            if slot.span.start < border {
                old.extend(verdict.map(|is_superseded| OldResult { slot: at, is_superseded }));
            }
            later.add(slot);
        }
        old.reverse();
        Self(old)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &OldResult> {
        self.0.iter()
    }
}

impl OldResult {
    /// True when nothing in the text forbids to clear it.
    pub(super) fn may_clear(&self, slot: &Slot<'_>, text: &str) -> bool {
        let call = call(slot);
        !call.is_instruction() && (self.is_superseded || !slot.is_error) && !text.is_empty()
    }

    /// The error lines that stay in sight: those of the latest run of a command. An older run has been superseded, and
    /// the words of a file report nothing.
    pub(super) fn errors<'t>(&self, slot: &Slot<'_>, text: &'t str) -> Vec<&'t str> {
        let is_report = call(slot).origin(text) <= Origin::Data && call(slot).tool_kind() != ToolKind::Read;
        if self.is_superseded || !is_report {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        lost_errors(text, "").filter(|line| seen.insert(*line)).collect()
    }
}

/// What the results after a result show.
#[derive(Default)]
struct LaterResults<'s> {
    /// Files that are shown or written as a whole, and commands that run again.
    again: HashSet<Subject<'s>>,
    edited: EditedFiles<'s>,
    /// Files that are read, whole or in part.
    read: HashSet<&'s str>,
    /// The call of the latest result, whose texts supersede nothing among themselves.
    latest: Option<&'s str>,
    waiting: Vec<Subject<'s>>,
}

impl<'s> LaterResults<'s> {
    /// Whether later results supersede this one; `None` if it must stay, because the file was edited after it and not
    /// read again.
    fn judge(&mut self, slot: &'s Slot<'_>) -> Option<bool> {
        if self.latest != Some(&*slot.call.id) {
            self.again.extend(self.waiting.drain(..));
            self.latest = Some(&*slot.call.id);
        }
        let is_superseded = Subject::of(slot).is_some_and(|subject| self.again.contains(&subject));
        let file = Subject::of(slot).and_then(Subject::file);
        let is_latest = !is_superseded && file.is_none_or(|file| !self.read.contains(file));
        (!is_latest || !self.edited.concern(slot)).then_some(is_superseded)
    }

    fn add(&mut self, slot: &'s Slot<'_>) {
        if slot.is_error {
            return;
        }
        let subject = Subject::of(slot);
        self.read.extend(subject.and_then(Subject::file));
        self.waiting.extend(subject.filter(|_| !slot.call.is_part));
        self.edited.add(slot);
    }
}

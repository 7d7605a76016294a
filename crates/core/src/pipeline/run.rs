//! A text on its way through the stages: takes what is allowed, true and cheaper, and keeps the record.

use std::borrow::Cow;

use tersely_stage::{CutClass, Edit, Loss, Mode, Room, Scene, Stage, signal};

use crate::pipeline::ledger::{self, Step};
use crate::pipeline::reference::Telling;
use crate::pipeline::{footer, reference};
use crate::tokens::{O200k, difference};

#[derive(Clone)]
pub(crate) struct StageRun<'a> {
    pub(crate) text: Cow<'a, str>,
    /// What the text costs, once it was counted.
    cost: Option<usize>,
    /// True once an exact stage has put its mark on the text: what follows would hide it.
    marked: bool,
    /// The most that was left out.
    pub(crate) left: Option<CutClass>,
    pub(crate) steps: Vec<Step>,
}

/// What a stage makes of a text, and what that saves.
pub(crate) struct Proposed {
    text: String,
    /// The last of its steps.
    pub(crate) step: Step,
    /// The one before that, where a form was written upon another.
    below: Option<Step>,
    /// True when it says all that the text said, and is marked by who can read it.
    pub(crate) is_exact: bool,
}

/// What a form must save, in tokens, beside its part of the whole. A reader who meets another layout than the tool's own
/// pays for it beside the words of its heads, which are counted: a line to be read twice, a moment's doubt whether it is
/// complete. That is worth about one line of text, or 24 tokens. What takes nothing but codes out of a text costs its
/// reader nothing.
pub(crate) const LEAST: usize = 24;

impl Proposed {
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// True when it saves half: whoever wrote it knows the text better than its lines tell.
    pub(crate) fn saves_half(&self) -> bool {
        self.step.after * 2 <= self.step.before
    }
}

/// What a stage must save of a text that costs so much.
fn least(stage: &dyn Stage, before: usize) -> usize {
    LEAST.max((before * stage.least_percent()).div_ceil(100))
}

impl<'a> StageRun<'a> {
    pub(crate) fn new(text: Cow<'a, str>) -> Self {
        Self { text, cost: None, marked: false, left: None, steps: Vec::new() }
    }

    /// A text that was marked already, with its cost, by these steps.
    pub(crate) fn marked((text, cost): (String, usize), steps: Vec<Step>) -> Self {
        Self { text: Cow::Owned(text), cost: Some(cost), marked: true, left: None, steps }
    }

    /// The same, of which so much was left out.
    pub(crate) fn without(self, left: impl Into<Option<CutClass>>) -> Self {
        Self { left: left.into(), ..self }
    }

    /// Lets a stage propose, and takes what it proposes.
    pub(crate) fn offer(&mut self, stage: &dyn Stage, scene: Scene<'_>) {
        if let Some(next) = self.proposed(stage, scene, usize::MAX) {
            self.take(next);
        }
    }

    /// What a stage makes of the text if that is allowed, true, and costs enough less and at most so much.
    pub(crate) fn proposed(&mut self, stage: &dyn Stage, scene: Scene<'_>, most: usize) -> Option<Proposed> {
        if self.marked || stage.reader() > scene.plan.reader {
            return None;
        }
        let edit = stage.apply(scene, &self.text).filter(|edit| edit.loss <= scene.plan.loss)?;
        let signed = (edit.loss == Loss::None).then(|| footer::sign(stage.name(), &edit.note, &edit.text));
        let text = signed.as_ref().unwrap_or(&edit.text);
        let safe = stage.mode() == Mode::Safe;
        if !safe && text.len() > self.text.len() {
            return None;
        }
        let before = self.cost();
        let limit = before.checked_sub(if safe { 1 } else { least(stage, before) })?.min(most);
        // Counting stops at the limit, so that most of what does not pay is never restored.
        let after = O200k.count_within(text, limit).filter(|_| self.holds(stage, &edit))?;
        let step = Step { stage: stage.name(), before, after, loss: edit.loss };
        Some(Proposed { is_exact: signed.is_some(), text: signed.unwrap_or(edit.text), step, below: None })
    }

    /// What a stage makes of the text that an exact form has written, under the mark of both.
    pub(crate) fn proposed_over(
        &self,
        stage: &dyn Stage,
        scene: Scene<'_>,
        below: &Proposed,
    ) -> Option<Proposed> {
        let signed = footer::read(&below.text).filter(|_| stage.reader() <= scene.plan.reader)?;
        let (name, note) = signed.stage();
        let edit = stage.apply(scene, signed.body).filter(|edit| edit.note.is_empty())?;
        let text = footer::sign(&[stage.name(), " ", name].concat(), note, &edit.text);
        let before = below.step.after;
        let after = O200k.count_within(&text, before.checked_sub(least(stage, before))?)?;
        let back = stage.restore(Room::of(&edit.text), &edit.note, &edit.text);
        if back.as_deref() != Some(signed.body) || text.len() > self.text.len() {
            return None;
        }
        let step = Step { stage: stage.name(), before, after, loss: edit.loss };
        Some(Proposed { is_exact: true, text, step, below: Some(below.step) })
    }

    /// Goes on with what was proposed for it.
    pub(crate) fn take(&mut self, Proposed { text, step, below, is_exact }: Proposed) {
        self.text = Cow::Owned(text);
        self.cost = Some(step.after);
        self.marked = is_exact;
        self.steps.extend(below.into_iter().chain([step]));
    }

    /// True when an edit that claims to be exact is, and one that leaves detail out loses no error.
    fn holds(&self, stage: &dyn Stage, edit: &Edit) -> bool {
        match edit.loss {
            Loss::None => {
                let room = Room::of(&edit.text);
                stage.restore(room, &edit.note, &edit.text).as_deref() == Some(&*self.text)
            }
            Loss::Form => true,
            Loss::Detail => !stage.cuts_lines() || signal::all_kept(&self.text, &edit.text),
        }
    }

    /// The same without its mark, so that it can be cut.
    pub(crate) fn unmarked(&self) -> Self {
        let body = if self.marked { footer::read(&self.text) } else { None };
        let Some(signed) = body else { return Self { marked: false, ..self.clone() } };
        let cost = self.cost.map(|cost| self.changed(cost, signed.body));
        let text = Cow::Owned(signed.body.to_owned());
        Self { text, cost, marked: false, steps: self.steps.clone(), ..*self }
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn cost(&mut self) -> usize {
        *self.cost.get_or_insert_with(|| O200k.count(&self.text))
    }

    /// What a text costs that differs little from this one.
    pub(crate) fn cost_of(&mut self, text: &str) -> usize {
        let cost = self.cost();
        self.changed(cost, text)
    }

    /// The same where this one costs so much: only what differs is counted.
    fn changed(&self, cost: usize, text: &str) -> usize {
        let (before, after) = difference(&self.text, text);
        cost + O200k.count(after) - O200k.count(before)
    }

    /// The worst loss of all changes.
    pub(crate) fn loss(&self) -> Loss {
        ledger::worst(&self.steps)
    }

    /// The text as it may be shown: one that no exact stage marked must not end like our own work.
    pub(crate) fn ended(&self) -> Cow<'a, str> {
        let escaped = if self.marked { None } else { footer::escape(&self.text) };
        escaped.map_or_else(|| self.text.clone(), Cow::Owned)
    }

    /// The same, and nothing in it may pass for a reference of ours.
    pub(crate) fn shown(&self, telling: Telling) -> Cow<'a, str> {
        let ended = self.ended();
        reference::escape(telling, &ended).map_or(ended, Cow::Owned)
    }
}

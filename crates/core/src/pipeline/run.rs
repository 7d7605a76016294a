//! The state of a text as it passes through the stages. A stage's edit is accepted if it is allowed, correct and
//! cheaper; every accepted step is recorded.

use std::borrow::Cow;
use std::rc::Rc;

use tersely_stage::{CutClass, Edit, Loss, Mode, Room, Scene, Stage, TextFacts, TextView, signal};

use crate::pipeline::ledger::{self, Step};
use crate::pipeline::reference::EscapeScope;
use crate::pipeline::restore::undo_footer;
use crate::pipeline::{footer, reference};
use crate::tokens::{O200k, difference};

/// A text, and the steps that produced it.
#[derive(Clone)]
pub(crate) struct StageRun<'a> {
    pub(crate) text: Cow<'a, str>,
    /// What stages have found out about the text. Copies of a run share it.
    facts: Rc<TextFacts>,
    /// The cost of the text in tokens; `None` until it is counted.
    cost: Option<usize>,
    /// True once an exact stage has signed the text with its footer. No other stage may run after that: it would hide
    /// the footer.
    is_signed: bool,
    /// The highest class of detail that was cut from the text.
    pub(crate) cut_class: Option<CutClass>,
    pub(crate) steps: Vec<Step>,
}

/// A stage's edit that passed all checks.
pub(crate) struct Proposal {
    text: String,
    /// The last step of the edit.
    pub(crate) step: Step,
    /// The step before the last one, if one form was applied on top of another.
    inner_step: Option<Step>,
    /// True when the previous text can be restored from this edit, using its footer.
    pub(crate) is_exact: bool,
}

/// Tokens that a form must save in addition to its percentage of the text. A layout that differs from the tool's own
/// costs the reader more than the tokens of its headings, which are counted: the model may read a line twice, or doubt
/// that the text is complete. We value that at about one line of text, or 24 tokens. Removing terminal codes costs the
/// reader nothing.
pub(crate) const MIN_SAVED_TOKENS: usize = 24;

impl Proposal {
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// True when the proposal saves at least half of the tokens. A form that saves this much has found more structure
    /// in the text than its single lines show.
    pub(crate) fn saves_half(&self) -> bool {
        self.step.after * 2 <= self.step.before
    }
}

/// The number of tokens that a stage must save on a text that costs `before` tokens.
fn min_saved(stage: &dyn Stage, before: usize) -> usize {
    MIN_SAVED_TOKENS.max((before * stage.least_percent()).div_ceil(100))
}

impl<'a> StageRun<'a> {
    /// A text before the first stage.
    pub(crate) fn new(text: Cow<'a, str>) -> Self {
        let facts = Rc::default();
        Self { text, facts, cost: None, is_signed: false, cut_class: None, steps: Vec::new() }
    }

    /// A text that already has its footer, with its cost and the steps that produced it.
    pub(crate) fn from_signed((text, cost): (String, usize), steps: Vec<Step>) -> Self {
        Self { cost: Some(cost), is_signed: true, steps, ..Self::new(Cow::Owned(text)) }
    }

    /// The same run, with the class of detail that was cut.
    pub(crate) fn with_cut(self, class: impl Into<Option<CutClass>>) -> Self {
        Self { cut_class: class.into(), ..self }
    }

    /// Runs a stage, and accepts its proposal if there is one.
    pub(crate) fn offer(&mut self, stage: &dyn Stage, scene: Scene<'_>) {
        if let Some(next) = self.propose(stage, scene, usize::MAX) {
            self.accept(next);
        }
    }

    /// The edit that a stage proposes, if the plan allows it, it is correct and saves enough, and the new text costs no
    /// more than `max_cost` tokens.
    pub(crate) fn propose(
        &mut self,
        stage: &dyn Stage,
        scene: Scene<'_>,
        max_cost: usize,
    ) -> Option<Proposal> {
        if self.is_signed || stage.reader() > scene.plan.reader || self.facts.is_idle(stage.name()) {
            return None;
        }
        let Some(edit) = stage.apply(scene, &TextView::with_facts(&self.text, Rc::clone(&self.facts))) else {
            if scene.exhausts(stage) {
                self.facts.record_idle(stage.name());
            }
            return None;
        };
        if edit.loss > scene.plan.loss {
            return None;
        }
        let signed = (edit.loss == Loss::None).then(|| footer::sign(stage.name(), &edit.note, &edit.text));
        let text = signed.as_ref().unwrap_or(&edit.text);
        let is_safe = stage.mode() == Mode::Safe;
        if !is_safe && text.len() > self.text.len() {
            return None;
        }
        let before = self.cost();
        let limit = before.checked_sub(if is_safe { 1 } else { min_saved(stage, before) })?.min(max_cost);
        // Counting stops at the limit, so most edits that save too little are never restored for the check.
        let after = O200k.count_within(text, limit).filter(|_| self.is_correct(stage, &edit))?;
        let step = Step { stage: stage.name(), before, after, loss: edit.loss };
        Some(Proposal {
            is_exact: signed.is_some(),
            text: signed.unwrap_or(edit.text),
            step,
            inner_step: None,
        })
    }

    /// The edit that a stage proposes on top of the text of an exact form, with one footer for both.
    pub(crate) fn propose_over(
        &self,
        stage: &dyn Stage,
        scene: Scene<'_>,
        inner: &Proposal,
    ) -> Option<Proposal> {
        let signed = footer::read(&inner.text).filter(|_| stage.reader() <= scene.plan.reader)?;
        let (name, note) = signed.stage();
        let edit = stage.apply(scene, &TextView::new(signed.body)).filter(|edit| edit.note.is_empty())?;
        let text = footer::sign(&[stage.name(), " ", name].concat(), note, &edit.text);
        let before = inner.step.after;
        let after = O200k.count_within(&text, before.checked_sub(min_saved(stage, before))?)?;
        // Each form has room for what it restores to, but both together may have too little.
        if text.len() > self.text.len() || undo_footer(Room::of(&text), &text).as_deref() != Some(&*self.text)
        {
            return None;
        }
        let step = Step { stage: stage.name(), before, after, loss: edit.loss };
        Some(Proposal { is_exact: true, text, step, inner_step: Some(inner.step) })
    }

    /// Replaces the text with a proposal's text, and records the proposal's steps.
    pub(crate) fn accept(&mut self, Proposal { text, step, inner_step, is_exact }: Proposal) {
        self.text = Cow::Owned(text);
        self.facts = Rc::default();
        self.cost = Some(step.after);
        self.is_signed = is_exact;
        self.steps.extend(inner_step.into_iter().chain([step]));
    }

    /// Checks an edit: an exact edit must restore the text, and an edit that cuts detail must keep every error.
    fn is_correct(&self, stage: &dyn Stage, edit: &Edit) -> bool {
        match edit.loss {
            Loss::None => {
                let room = Room::of(&edit.text);
                stage.restore(room, &edit.note, &edit.text).as_deref() == Some(&*self.text)
            }
            Loss::Form => true,
            Loss::Detail => !stage.cuts_lines() || signal::all_kept(&self.text, &edit.text),
        }
    }

    /// The same text without its footer, so that it can be cut.
    pub(crate) fn strip_footer(&self) -> Self {
        let body = if self.is_signed { footer::read(&self.text) } else { None };
        let Some(signed) = body else { return Self { is_signed: false, ..self.clone() } };
        let cost = self.cost.map(|cost| self.recount(cost, signed.body));
        let body = Self::new(Cow::Owned(signed.body.to_owned()));
        Self { cost, cut_class: self.cut_class, steps: self.steps.clone(), ..body }
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The number of tokens in the text, counted at the first call.
    pub(crate) fn cost(&mut self) -> usize {
        *self.cost.get_or_insert_with(|| O200k.count(&self.text))
    }

    /// The number of tokens in a text that differs little from this one.
    pub(crate) fn cost_of(&mut self, text: &str) -> usize {
        let cost = self.cost();
        self.recount(cost, text)
    }

    /// Like `cost_of`, given the cost of this text: only the difference is counted.
    fn recount(&self, cost: usize, text: &str) -> usize {
        let (before, after) = difference(&self.text, text);
        cost + O200k.count(after) - O200k.count(before)
    }

    /// The worst loss of all steps.
    pub(crate) fn loss(&self) -> Loss {
        ledger::worst(&self.steps)
    }

    /// Escapes an imitation of our footer at the end of the text.
    pub(crate) fn escape_footer(&self) -> Cow<'a, str> {
        let escaped = if self.is_signed { None } else { footer::escape(&self.text) };
        escaped.map_or_else(|| self.text.clone(), Cow::Owned)
    }

    /// The text, with imitations of our footer and of our references escaped.
    pub(crate) fn escape_marks(&self, scope: EscapeScope) -> Cow<'a, str> {
        let text = self.escape_footer();
        reference::escape(scope, &text).map_or(text, Cow::Owned)
    }
}

//! Writes a text in the form that costs the fewest tokens.

use tersely_stage::Loss;
use tersely_stage::form::{DICTIONARY, FORMS, GENERAL};

use crate::pipeline::job::Job;
use crate::pipeline::run::{Proposal, StageRun};

impl Job<'_> {
    /// Writes a text in the cheapest form. If an inexact form was accepted, it also tries the exact forms alone, which
    /// may be cheaper still.
    pub(super) fn write(self, run: &mut StageRun<'_>) {
        let steps = run.steps.len();
        let mut exact = (self.plan.loss > Loss::None).then(|| run.clone());
        self.write_once(run);
        if let Some(exact) = &mut exact
            && run.steps[steps..].iter().any(|step| step.loss > Loss::None)
        {
            self.with_loss(Loss::None).write_once(exact);
            if self.stays_whole(exact.len()) && exact.cost() < run.cost() {
                *run = exact.clone();
            }
        }
    }

    /// Accepts the cheapest exact form; of equally cheap ones, the first. An inexact form is accepted at once, but only
    /// as long as no exact form was proposed: it changes the text that the exact form must restore.
    fn write_once(self, run: &mut StageRun<'_>) {
        let mut best: Option<Proposal> = None;
        for form in FORMS.iter().filter(|form| self.may_run(**form)) {
            let Some(next) = run.propose(*form, self.scene(), cheaper_than(best.as_ref())) else { continue };
            if next.is_exact {
                best = Some(next);
            } else if best.is_none() {
                run.accept(next);
            }
        }
        let other =
            self.propose_general(run, best.as_ref()).or_else(|| self.propose_dictionary(run, best.as_ref()));
        if let Some(best) = other.or(best) {
            run.accept(best);
        }
    }

    /// Proposes short names for frequent phrases, if that is cheaper than the best of the other forms.
    fn propose_dictionary(self, run: &mut StageRun<'_>, best: Option<&Proposal>) -> Option<Proposal> {
        self.may_run(DICTIONARY).then(|| run.propose(DICTIONARY, self.scene(), cheaper_than(best)))?
    }

    /// Proposes the general form, on top of the best other form or alone, if that is cheaper. Only for texts that are
    /// not cut afterwards: a cut could remove the lines that explain the form's names.
    fn propose_general(self, run: &mut StageRun<'_>, best: Option<&Proposal>) -> Option<Proposal> {
        if !self.may_run(GENERAL) {
            return None;
        }
        let is_whole = |next: &Proposal| self.stays_whole(next.len());
        let over = best.and_then(|best| run.propose_over(GENERAL, self.scene(), best)).filter(is_whole);
        if over.is_some() || best.is_some_and(Proposal::saves_half) {
            return over;
        }
        run.propose(GENERAL, self.scene(), cheaper_than(best)).filter(is_whole)
    }

    /// True when a text of `bytes` bytes is not capped afterwards.
    fn stays_whole(self, bytes: usize) -> bool {
        !self.may_cut() || bytes <= self.plan.max_bytes
    }
}

/// The maximum cost, in tokens, of a proposal that is cheaper than `best`.
fn cheaper_than(best: Option<&Proposal>) -> usize {
    best.map_or(usize::MAX, |best| best.step.after.saturating_sub(1))
}

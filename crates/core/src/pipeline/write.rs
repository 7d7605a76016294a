//! Writes a text in the form that costs least.

use tersely_stage::Loss;
use tersely_stage::form::{DICTIONARY, FORMS, GENERAL};

use crate::pipeline::compress::Job;
use crate::pipeline::run::{Proposed, StageRun};

impl Job<'_> {
    /// Writes a text in the way that costs least. Where a form that is not exact was taken, exact ones alone may cost less.
    pub(super) fn write(self, run: &mut StageRun<'_>) {
        let steps = run.steps.len();
        let mut exact = (self.plan.loss > Loss::None).then(|| run.clone());
        self.write_once(run);
        if let Some(exact) = &mut exact
            && run.steps[steps..].iter().any(|step| step.loss > Loss::None)
        {
            self.exact().write_once(exact);
            if self.shows_whole(exact.len()) && exact.cost() < run.cost() {
                *run = exact.clone();
            }
        }
    }

    /// Writes a text in the exact form that costs least, the first of those that cost the same. What is not exact
    /// goes before the next ones, and is undone by none of them.
    fn write_once(self, run: &mut StageRun<'_>) {
        let mut best: Option<Proposed> = None;
        for form in FORMS.iter().filter(|form| self.runs(**form)) {
            let Some(next) = run.proposed(*form, self.scene(), below(best.as_ref())) else { continue };
            if next.is_exact {
                best = Some(next);
            } else if best.is_none() {
                run.take(next);
            }
        }
        let any = self.general(run, best.as_ref()).or_else(|| self.dictionary(run, best.as_ref()));
        if let Some(best) = any.or(best) {
            run.take(best);
        }
    }

    /// The text with names for what comes often, if that costs less than the best of the other forms.
    fn dictionary(self, run: &mut StageRun<'_>, best: Option<&Proposed>) -> Option<Proposed> {
        self.runs(DICTIONARY).then(|| run.proposed(DICTIONARY, self.scene(), below(best)))?
    }

    /// The text in the general form, upon the best of the others or by itself, if that costs less. It is for whole texts:
    /// one that is cut afterwards has lines whose names nobody explains.
    fn general(self, run: &mut StageRun<'_>, best: Option<&Proposed>) -> Option<Proposed> {
        if !self.runs(GENERAL) {
            return None;
        }
        let is_whole = |next: &Proposed| self.shows_whole(next.len());
        let over = best.and_then(|best| run.proposed_over(GENERAL, self.scene(), best)).filter(is_whole);
        if over.is_some() || best.is_some_and(Proposed::saves_half) {
            return over;
        }
        run.proposed(GENERAL, self.scene(), below(best)).filter(is_whole)
    }

    /// True when a text of so many bytes is not cut afterwards.
    fn shows_whole(self, bytes: usize) -> bool {
        !self.leaves_out() || bytes <= self.plan.max_bytes
    }
}

/// The most that what is better may cost.
fn below(best: Option<&Proposed>) -> usize {
    best.map_or(usize::MAX, |best| best.step.after.saturating_sub(1))
}

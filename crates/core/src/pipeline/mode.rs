//! Runs the stages of each mode on a text, and compares the results of modes.
//!
//! **A stronger mode never saves less than a milder one, and never shows more.** So safe and aggressive mode check the
//! result of standard mode before they decide:
//!
//! ```text
//! standard     clean, unwrap, write in the cheapest form, cut class by class, cap
//! safe         clean; cap only what standard mode would cut at least as far
//! aggressive   as standard, with tighter limits, if that saves more and shows no more lines
//! ```
//!
//! A text beyond the [`budget`] is only capped, in every mode.

use std::borrow::Cow;

use tersely_stage::clean::CLEAN;
use tersely_stage::cut::{CAPS, CUTS, FAMILIES, REST};
use tersely_stage::form::NUMBERED;
use tersely_stage::{CutClass, Loss, Mode, Room};

use crate::pipeline::footer::WRAPPED;
use crate::pipeline::job::Job;
use crate::pipeline::ledger::{self, Step};
use crate::pipeline::restore::undo_footer;
use crate::pipeline::run::{MIN_SAVED_TOKENS, StageRun};
use crate::pipeline::wrap::WrappedText;
use crate::pipeline::{budget, footer, visible_lines, worth, wrap};
use crate::tokens::O200k;

impl Job<'_> {
    /// Runs the mode that the plan selects.
    pub(super) fn run(self, text: &str) -> StageRun<'_> {
        if !budget::is_within(text) {
            return self.cap(StageRun::new(Cow::Borrowed(text)));
        }
        match self.plan.mode {
            Mode::Disabled | Mode::Observe | Mode::Standard => self.run_stages(text),
            Mode::Safe => self.run_safe(text),
            Mode::Aggressive => self.run_aggressive(text),
        }
    }

    /// Runs safe mode: cleans the text, and caps it if standard mode would not show more of it. A text that standard
    /// mode brings under the cap without losing detail is sent in that form.
    fn run_safe(self, text: &str) -> StageRun<'_> {
        let clean = self.clean(text);
        let capped = self.cap(clean.clone());
        if capped.steps.len() == clean.steps.len() {
            return clean;
        }
        let standard = self.standard().run_stages(text);
        let is_milder = standard.loss() == Loss::Detail
            && visible_lines::count(text, &standard.text) <= visible_lines::count(text, &capped.text);
        if is_milder {
            return capped;
        }
        let fits = standard.loss() < Loss::Detail && standard.len() <= self.plan.max_bytes;
        if fits { standard } else { clean }
    }

    /// Runs aggressive mode, but returns the result of standard mode if that saves as much or shows fewer lines.
    fn run_aggressive(self, text: &str) -> StageRun<'_> {
        let mut standard = self.standard().run_stages(text);
        let mut aggressive = self.run_stages(text);
        let saves_more = match aggressive.cut_class {
            Some(class) if aggressive.cut_class > standard.cut_class => {
                worth::pays(self.plan.mode, class, standard.cost(), aggressive.cost())
            }
            _ => aggressive.cost() < standard.cost(),
        };
        let is_stronger = saves_more
            && visible_lines::count(text, &aggressive.text) <= visible_lines::count(text, &standard.text);
        if is_stronger { aggressive } else { standard }
    }

    /// Runs all stages of the plan's mode, without comparing it to other modes: on the text inside a JSON wrapping if
    /// that costs less, else on the text itself. If content is cut in any case, it also tries to cap the clean text.
    fn run_stages(self, text: &str) -> StageRun<'_> {
        let mut clean = self.clean(text);
        let inside = self.run_inside(text, &mut clean);
        let mut run = inside.unwrap_or_else(|| self.cap(self.write_and_cut(&clean)));
        if run.cut_class == Some(CutClass::Content) {
            let mut capped = self.cap(clean);
            if capped.loss() == Loss::Detail && capped.cost() < run.cost() {
                return capped;
            }
        }
        run
    }

    /// Takes a text out of its JSON wrapping and runs the stages on it. `None` if there is no wrapping, or if the
    /// result is no better than `whole`, the run of the wrapped text.
    fn run_inside<'a>(self, text: &'a str, whole: &mut StageRun<'_>) -> Option<StageRun<'a>> {
        let WrappedText { head, note, inside } = wrap::unwrap(text)?;
        let inside = self.below_head(&head)?.cap(self.write_and_cut(&self.clean(&inside)));
        let (loss, cut) = (inside.loss(), inside.cut_class);
        let signed = footer::sign(WRAPPED, &note, &[&head, "\n", &*inside.escape_footer()].concat());
        let back = || undo_footer(Room::of(&signed), &signed);
        if signed.len() > text.len() || loss == Loss::None && back().as_deref() != Some(text) {
            return None;
        }
        let before = whole.steps.first().map_or_else(|| O200k.count(text), |step| step.before);
        let (cost, mode) = (whole.cost(), self.plan.mode);
        // An unwrapped text that is shown whole may cost more than a wrapped text that was cut.
        let limit = match whole.cut_class {
            Some(class) if cut < whole.cut_class => {
                cost.max(worth::max_whole_tokens(mode, class)).min(before)
            }
            _ => cost,
        };
        let after = O200k.count_within(&signed, limit.checked_sub(MIN_SAVED_TOKENS)?)?;
        let pays =
            |class| cost > worth::max_whole_tokens(mode, class) && worth::pays(mode, class, cost, after);
        if cut.is_some_and(|class| cut > whole.cut_class && !pays(class)) {
            return None;
        }
        let first = Step { stage: WRAPPED, before, after, loss };
        let steps = ledger::join_inner(first, &inside.steps);
        Some(StageRun::from_signed((signed, after), steps).with_cut(cut))
    }

    /// Writes a clean text with all its detail. While the text is too long to be shown whole, cuts one more class of
    /// detail, and uses the cut text if that is worthwhile.
    fn write_and_cut<'a>(self, clean: &StageRun<'a>) -> StageRun<'a> {
        let mut run = clean.clone();
        self.write(&mut run);
        let mut cut = clean.clone();
        for class in CutClass::ALL.into_iter().filter(|_| self.may_cut()) {
            if run.cost() <= worth::max_whole_tokens(self.plan.mode, class) {
                break;
            }
            let room = worth::content_bytes(self.plan.mode, cut.len(), run.cost());
            let job = self.with_class(class, room);
            let next = job.cut(clean);
            if next.text == cut.text {
                continue;
            }
            cut = next;
            let mut written = cut.clone();
            job.write(&mut written);
            if worth::pays(self.plan.mode, class, run.cost(), written.cost()) {
                run = written.with_cut(class);
            }
        }
        run
    }

    /// Removes terminal codes and similar noise. If several attempts follow, the tokens are counted here, once for all
    /// of them.
    fn clean(self, text: &str) -> StageRun<'_> {
        let mut run = StageRun::new(Cow::Borrowed(text));
        self.offer(CLEAN, &mut run);
        if self.may_cut() {
            run.cost();
        }
        run
    }

    /// Cuts detail of the job's class and of lower classes. A user's filter replaces the built-in families.
    fn cut<'a>(self, run: &StageRun<'a>) -> StageRun<'a> {
        let mut cut = run.clone();
        if let Some(filter) = self.filter {
            self.offer(&[filter], &mut cut);
        }
        let is_filtered = cut.steps.len() > run.steps.len();
        self.offer(CUTS, &mut cut);
        if !is_filtered {
            self.offer_families(&mut cut);
        }
        self.offer(REST, &mut cut);
        cut
    }

    /// Offers the text to the families until one of them cuts it.
    fn offer_families(self, run: &mut StageRun<'_>) {
        let steps = run.steps.len();
        for family in FAMILIES {
            if run.steps.len() == steps {
                self.offer(&[*family], run);
            }
        }
    }

    /// Cuts a text that exceeds the size limit. An exact form is no longer exact afterwards, so its footer is removed.
    /// File text is never capped.
    fn cap(self, run: StageRun<'_>) -> StageRun<'_> {
        let is_numbered = run.steps.iter().any(|step| step.stage == NUMBERED);
        let is_file = self.is_verbatim() || is_numbered && self.plan.mode < Mode::Aggressive;
        if self.plan.loss < Loss::Detail || run.len() <= self.plan.max_bytes || is_file {
            return run;
        }
        let mut capped = run.strip_footer();
        self.offer(CAPS, &mut capped);
        if capped.steps.len() > run.steps.len() { capped.with_cut(CutClass::Content) } else { run }
    }
}

//! The account of one text: its tokens before the first change and after the last one, and every change in between.

use tersely_stage::Loss;

/// One change that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The stage that proposed the change.
    pub stage: &'static str,
    /// Tokens before the change.
    pub before: usize,
    /// Tokens after the change.
    pub after: usize,
    /// The kind of loss that the change caused.
    pub loss: Loss,
}

impl Step {
    fn saving(&self) -> usize {
        self.before - self.after
    }
}

/// The account of one text. Each step begins with the token count at which the previous one ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// Tokens before the first change, with secrets masked.
    pub before: usize,
    /// Tokens of the text that is sent.
    pub after: usize,
    /// The changes, in order.
    pub steps: Vec<Step>,
}

impl Ledger {
    /// The account of a text that costs `cost` tokens and was not changed.
    pub(crate) fn of(cost: usize) -> Self {
        Self { before: cost, after: cost, steps: Vec::new() }
    }

    /// The account of a text that cost `before` tokens and went through these steps. If a step first removed a footer,
    /// it began at a slightly lower count than the previous step ended with; the difference counts as a saving of that
    /// step.
    pub(crate) fn from_steps(before: usize, mut steps: Vec<Step>) -> Self {
        let mut after = before;
        for step in &mut steps {
            step.before = after;
            after = step.after;
        }
        Self { before, after, steps }
    }

    /// Adds a change.
    pub(crate) fn record(&mut self, stage: &'static str, after: usize, loss: Loss) {
        self.steps.push(Step { stage, before: self.after, after, loss });
        self.after = after;
    }

    /// Sets the token count of the text that is actually sent. Any cost that the steps do not account for is charged to
    /// the step that saved most.
    pub(crate) fn settle(&mut self, after: usize) {
        if let Some(last) = self.steps.last_mut().filter(|last| after < last.after) {
            last.after = after;
        }
        charge(&mut self.steps, after.saturating_sub(self.after));
        self.after = after;
    }

    /// The worst loss of all changes.
    #[must_use]
    pub fn loss(&self) -> Loss {
        worst(&self.steps)
    }
}

/// The worst loss of all changes.
pub(crate) fn worst(steps: &[Step]) -> Loss {
    steps.iter().map(|step| step.loss).max().unwrap_or(Loss::None)
}

/// The step that took a text out of its wrapping, followed by the steps on the inner text. Those steps counted the
/// inner text alone, so only their savings are carried over.
pub(crate) fn join_inner(first: Step, inside: &[Step]) -> Vec<Step> {
    let inner: usize = inside.iter().map(Step::saving).sum();
    let own = (first.before - first.after).saturating_sub(inner);
    let mut steps = vec![Step { after: first.before - own, ..first }];
    for step in inside {
        let before = steps.last().map_or(first.before, |last| last.after);
        steps.push(Step { before, after: before.saturating_sub(step.saving()), ..*step });
    }
    let sum = steps.last().map_or(first.after, |last| last.after);
    charge(&mut steps, first.after.saturating_sub(sum));
    steps
}

/// Charges a cost to the step that saved most, and any remainder to the step that saved next most.
fn charge(steps: &mut [Step], mut cost: usize) {
    while cost > 0 {
        let Some(most) = (0..steps.len()).rev().max_by_key(|at| steps[*at].saving()) else { return };
        let part = cost.min(steps[most].saving().saturating_sub(1));
        if part == 0 {
            return;
        }
        steps[most].after += part;
        for later in &mut steps[most + 1..] {
            later.before += part;
            later.after += part;
        }
        cost -= part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(stage: &'static str, before: usize, after: usize) -> Step {
        Step { stage, before, after, loss: Loss::None }
    }

    #[test]
    fn changes_follow_one_another() {
        let mut ledger = Ledger::of(100);
        ledger.record("json", 60, Loss::None);
        ledger.record("earlier", 20, Loss::Form);
        assert_eq!((ledger.before, ledger.after, ledger.loss()), (100, 20, Loss::Form));
        assert_eq!(ledger.steps[1].before, 60);
    }

    #[test]
    fn what_comes_on_top_is_charged_to_who_saved_most() {
        let mut ledger =
            Ledger::from_steps(100, vec![step("a", 100, 90), step("b", 90, 30), step("c", 30, 25)]);
        ledger.settle(35);
        assert_eq!(ledger.steps, [step("a", 100, 90), step("b", 90, 40), step("c", 40, 35)]);
        assert_eq!(ledger.after, 35);
        let mut unchanged = Ledger::of(7);
        unchanged.settle(8);
        assert_eq!((unchanged.before, unchanged.after, unchanged.steps.len()), (7, 8, 0));
    }

    #[test]
    fn steps_within_a_wrapping_add_up() {
        let steps = join_inner(step("wrapped", 120, 50), &[step("log", 70, 40), step("repeats", 40, 30)]);
        assert_eq!(steps, [step("wrapped", 120, 90), step("log", 90, 60), step("repeats", 60, 50)]);
        // The header line costs more than the wrapping did.
        let steps = join_inner(step("wrapped", 100, 70), &[step("log", 90, 55), step("repeats", 55, 50)]);
        assert_eq!(steps, [step("wrapped", 100, 100), step("log", 100, 75), step("repeats", 75, 70)]);
    }
}

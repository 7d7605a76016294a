//! Sums up the answers of a run.

use tersely_account::TokenUsage;

use crate::arm::EvalArm;
use crate::ask::EvalAnswer;
use crate::log::RunLog;
use crate::mcnemar::AnswerPairs;
use crate::set::EvalQuestion;

/// Sums of one arm.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ArmTally {
    /// Questions that were answered, rightly or not.
    pub(super) answered: usize,
    /// Those answered rightly.
    pub(super) right: usize,
    /// Those that failed.
    pub(super) failed: usize,
    /// Requests beyond the first.
    pub(super) more: usize,
    /// How often something was fetched back.
    pub(super) fetched: usize,
    /// What the provider counted.
    pub(super) tokens: TokenUsage,
    /// What we count of what was sent.
    pub(super) ours: usize,
    /// How long it took, in milliseconds.
    pub(super) millis: u64,
}

/// Sums of a run.
pub(super) struct EvalTally {
    /// Questions that were to be asked.
    pub(super) questions: usize,
    /// As sent, exact, standard. Only questions that all three answered count in their tokens.
    pub(super) arms: [ArmTally; 3],
    /// Exact and standard, each against as sent.
    pub(super) pairs: [AnswerPairs; 2],
    /// Why questions failed, and how many; the first of each.
    pub(super) faults: Vec<(String, usize)>,
}

impl EvalTally {
    /// Sums up what became of these questions.
    pub(super) fn of(log: &RunLog, questions: &[EvalQuestion]) -> Self {
        let mut tally = Self {
            questions: questions.len(),
            arms: Default::default(),
            pairs: Default::default(),
            faults: Vec::new(),
        };
        for question in questions {
            let answers = EvalArm::ALL.map(|arm| log.answers.get(&(question.id.clone(), arm)));
            tally.add(answers);
        }
        tally
    }

    /// True when some arm loses more answers than chance explains.
    pub(super) fn is_worse(&self) -> bool {
        self.pairs.iter().any(|pairs| pairs.is_worse())
    }

    fn add(&mut self, answers: [Option<&EvalAnswer>; 3]) {
        let is_whole = answers.iter().all(|it| it.is_some_and(|it| it.heard.is_ok()));
        for (arm, answer) in self.arms.iter_mut().zip(answers) {
            match answer.map(|it| &it.heard) {
                None => {}
                Some(Err(why)) => {
                    arm.failed += 1;
                    match self.faults.iter_mut().find(|(known, _)| known == why) {
                        Some((_, count)) => *count += 1,
                        None => self.faults.push((why.clone(), 1)),
                    }
                }
                Some(Ok(heard)) => {
                    arm.answered += 1;
                    arm.right += usize::from(heard.is_right);
                    if is_whole {
                        arm.more += heard.rounds.saturating_sub(1);
                        arm.fetched += heard.fetched;
                        arm.tokens += heard.tokens;
                        arm.ours += heard.ours;
                        arm.millis = arm.millis.saturating_add(heard.millis);
                    }
                }
            }
        }
        let right = answers.map(|it| it.and_then(|it| it.heard.as_ref().ok()).map(|it| it.is_right));
        for (pairs, other) in self.pairs.iter_mut().zip([right[1], right[2]]) {
            if let (Some(sent), Some(other)) = (right[0], other) {
                pairs.add(sent, other);
            }
        }
    }
}

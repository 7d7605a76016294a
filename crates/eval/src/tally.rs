//! Sums up the answers of a run.

use tersely_account::TokenUsage;

use crate::arm::EvalArm;
use crate::ask::EvalAnswer;
use crate::log::RunLog;
use crate::mcnemar::AnswerPairs;
use crate::set::EvalQuestion;

/// The sums of one arm.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ArmTally {
    /// The number of questions that were answered, right or wrong.
    pub(super) answered: usize,
    /// The number of right answers.
    pub(super) right: usize,
    /// The number of questions that failed.
    pub(super) failed: usize,
    /// The number of requests after the first one of each question.
    pub(super) more: usize,
    /// The number of times that the model fetched omitted text.
    pub(super) fetched: usize,
    /// The usage that the provider reported.
    pub(super) tokens: TokenUsage,
    /// Our token count of the requests.
    pub(super) ours: usize,
    /// The total time, in milliseconds.
    pub(super) millis: u64,
}

/// The sums of a run.
pub(super) struct EvalTally {
    /// The number of questions to ask.
    pub(super) questions: usize,
    /// The arms: as sent, exact, standard. Tokens are counted only for questions that were answered in all three arms.
    pub(super) arms: [ArmTally; 3],
    /// The exact and the standard arm, each compared with the arm as sent.
    pub(super) pairs: [AnswerPairs; 2],
    /// The reasons why questions failed, each with the number of questions.
    pub(super) faults: Vec<(String, usize)>,
}

impl EvalTally {
    /// Sums up the answers to these questions.
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

    /// True when an arm loses significantly more answers than it gains.
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

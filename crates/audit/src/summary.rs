//! Sums up all conversations of a history and picks the most notable findings.

use std::collections::BTreeMap;

use tersely_account::BreakCause;

use crate::audit::{AuditSum, AuditedConversation};
use crate::waste::{CacheBreak, CostlyResult, FileReads, UnusedTool};

/// The maximum number of findings of each kind.
const MAX_FINDINGS: usize = 10;

/// Totals of all conversations.
#[derive(Debug, Clone, Default)]
pub struct AuditSummary {
    /// The totals of all conversations.
    pub all: AuditSum,
    /// The totals of each client.
    pub clients: Vec<(String, AuditSum)>,
    /// The totals of each project folder.
    pub projects: Vec<(String, AuditSum)>,
    /// The totals of each model.
    pub models: Vec<(String, AuditSum)>,
    /// The totals of each start day, in days since 1970.
    pub days: BTreeMap<i64, AuditSum>,
    /// The most expensive results.
    pub costly: Vec<CostlyResult>,
    /// The files with the most tokens in repeated reads.
    pub reads: Vec<FileReads>,
    /// Requests that missed the cache because it had expired.
    pub expired: BreakSum,
    /// Requests that missed the cache although it had not expired.
    pub broken: BreakSum,
    /// All requests that missed the cache, by cause, most expensive first.
    pub causes: Vec<CauseSum>,
    /// The most expensive of them.
    pub breaks: Vec<DearBreak>,
    /// Tools that requests defined but no conversation called.
    pub unused: Vec<UnusedTool>,
    /// The tokens that each stage saved, by our count. Each result is counted once.
    pub stages: Vec<(&'static str, i64)>,
}

/// The losses by one cause.
#[derive(Debug, Clone, PartialEq)]
pub struct CauseSum {
    /// The cause, as far as the files show it.
    pub cause: BreakCause,
    /// What providers themselves say, if the files do not show what changed.
    pub diagnosis: Option<String>,
    /// The losses.
    pub sum: BreakSum,
}

/// An expensive cache miss.
#[derive(Debug, Clone, PartialEq)]
pub struct DearBreak {
    /// The name of the client.
    pub client: &'static str,
    /// The client's session id.
    pub session: String,
    /// The request.
    pub lost: CacheBreak,
}

/// The losses caused by cache misses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BreakSum {
    /// The number of requests.
    pub requests: usize,
    /// The number of tokens that were paid for again.
    pub tokens: u64,
    /// The cost of those tokens, in dollars.
    pub dollars: f64,
}

impl AuditSummary {
    /// Sums up conversations.
    #[must_use]
    pub fn of(all: &[AuditedConversation]) -> Self {
        let mut summary = Self {
            all: all.iter().fold(AuditSum::default(), |sum, it| sum.and(&it.sum)),
            clients: sorted(AuditSum::by(all, |it| it.client.to_owned())),
            projects: sorted(AuditSum::by(all, |it| it.project.clone().unwrap_or_default())),
            models: sorted(AuditSum::by(all, |it| it.model.clone())),
            costly: all.iter().flat_map(|it| it.costly.iter().cloned()).collect(),
            reads: all.iter().flat_map(|it| it.reads.iter().cloned()).collect(),
            ..Self::default()
        };
        let (mut stages, mut unused) = (BTreeMap::new(), BTreeMap::new());
        for one in all {
            if let Some(at) = one.at {
                let day = summary.days.entry(at.div_euclid(86_400_000)).or_default();
                *day = day.and(&one.sum);
            }
            for lost in &one.breaks {
                let sum = if lost.idle.is_some() { &mut summary.expired } else { &mut summary.broken };
                sum.add(lost);
                summary.cause(lost).add(lost);
                let (client, session) = (one.client, one.session.clone());
                summary.breaks.push(DearBreak { client, session, lost: lost.clone() });
            }
            for (stage, saved) in &one.stages {
                *stages.entry(*stage).or_insert(0) += saved;
            }
            for tool in &one.unused {
                let sum = unused
                    .entry(tool.tool.clone())
                    .or_insert_with(|| UnusedTool { requests: 0, ..tool.clone() });
                sum.requests += tool.requests;
            }
        }
        // A tool counts as used if any conversation called it.
        let is_called = |tool: &UnusedTool| all.iter().any(|it| it.called.contains(&tool.tool));
        summary.unused = unused.into_values().filter(|tool| !is_called(tool)).collect();
        summary
            .unused
            .sort_by_key(|tool| std::cmp::Reverse(tool.tokens.saturating_mul(tool.requests as u64)));
        summary.stages = stages.into_iter().collect();
        summary.stages.sort_by_key(|(_, saved)| std::cmp::Reverse(*saved));
        summary
            .causes
            .sort_by(|a, b| b.sum.dollars.total_cmp(&a.sum.dollars).then(b.sum.tokens.cmp(&a.sum.tokens)));
        summary.breaks.sort_by(|DearBreak { lost: a, .. }, DearBreak { lost: b, .. }| {
            b.dollars.total_cmp(&a.dollars).then(b.tokens.cmp(&a.tokens))
        });
        summary.breaks.truncate(MAX_FINDINGS);
        summary.costly.sort_by(|a, b| b.dollars.total_cmp(&a.dollars).then(b.tokens.cmp(&a.tokens)));
        summary.reads.sort_by_key(|file| std::cmp::Reverse(file.tokens));
        summary.costly.truncate(MAX_FINDINGS);
        summary.reads.truncate(MAX_FINDINGS);
        summary.unused.truncate(MAX_FINDINGS);
        summary
    }

    /// The losses by the cause of this break.
    fn cause(&mut self, lost: &CacheBreak) -> &mut BreakSum {
        let cause = lost.found.cause;
        let diagnosis = lost.diagnosis.as_ref().filter(|_| cause == BreakCause::Unknown);
        let diagnosis = diagnosis.map(ToString::to_string);
        let place = self.causes.iter().position(|it| it.cause == cause && it.diagnosis == diagnosis);
        let place = place.unwrap_or_else(|| {
            self.causes.push(CauseSum { cause, diagnosis, sum: BreakSum::default() });
            self.causes.len() - 1
        });
        &mut self.causes[place].sum
    }
}

impl BreakSum {
    fn add(&mut self, lost: &CacheBreak) {
        self.requests += 1;
        self.tokens += lost.tokens;
        self.dollars += lost.dollars;
    }
}

/// Sorts the totals by cost, highest first.
fn sorted(sums: BTreeMap<String, AuditSum>) -> Vec<(String, AuditSum)> {
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|(_, a), (_, b)| b.bill.paid.total_cmp(&a.bill.paid).then(b.requests.cmp(&a.requests)));
    sums
}

#[cfg(test)]
mod tests {
    use tersely_account::{CacheDiagnosis, PromptChange};

    use super::*;

    #[test]
    fn losses_are_added_up_by_cause() {
        let lost = |cause, idle, word: Option<&str>, dollars| CacheBreak {
            request: 2,
            idle,
            found: PromptChange::of(cause).into_break(),
            diagnosis: word.and_then(|word| CacheDiagnosis::of(word, None)),
            tokens: 5_000,
            dollars,
        };
        let breaks = vec![
            lost(BreakCause::Idle, Some(9), None, 0.5),
            lost(BreakCause::Unknown, None, None, 0.25),
            lost(BreakCause::Unknown, None, Some("tools_changed"), 1.0),
            // What the file shows comes before what the provider says.
            lost(BreakCause::Model, None, Some("model_changed"), 0.125),
            lost(BreakCause::Idle, Some(20), None, 0.75),
        ];
        let one = AuditedConversation { breaks, ..AuditedConversation::default() };
        let summary = AuditSummary::of(&[one]);
        let sums: Vec<_> =
            summary.causes.iter().map(|it| (it.cause, it.diagnosis.as_deref(), it.sum.requests)).collect();
        let expected = [
            (BreakCause::Idle, None, 2),
            (BreakCause::Unknown, Some("tools changed"), 1),
            (BreakCause::Unknown, None, 1),
            (BreakCause::Model, None, 1),
        ];
        assert_eq!(sums, expected);
        assert_eq!((summary.expired.requests, summary.broken.requests), (2, 3));
        assert!(summary.breaks.is_sorted_by(|a, b| a.lost.dollars >= b.lost.dollars));
    }

    #[test]
    fn a_tool_that_some_conversation_called_is_of_use() {
        let tool = |name: &str, requests| UnusedTool { tool: name.to_owned(), tokens: 50, requests };
        let one = AuditedConversation {
            called: ["read".to_owned()].into(),
            unused: vec![tool("write", 3), tool("fetch", 3)],
            ..AuditedConversation::default()
        };
        let other = AuditedConversation {
            called: ["write".to_owned()].into(),
            unused: vec![tool("read", 4), tool("fetch", 4)],
            ..AuditedConversation::default()
        };
        assert_eq!(AuditSummary::of(&[one, other]).unused, [tool("fetch", 7)]);
    }
}

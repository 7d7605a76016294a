//! The record of one tool result: numbers, our own words, and the names of its call and tool. Never its text.

use std::sync::Arc;

use crate::shown_name::ShownName;
use crate::status::ResultStatus;
use crate::text_size::TextSize;
use crate::tokens::TokenChange;

/// What was done with one tool result.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ResultRecord {
    /// An id that stays the same in later requests of the conversation.
    pub id: u64,
    /// The call that the result answers.
    pub call: Option<ShownName>,
    /// The tool, by the name that the client gave it.
    pub tool: Option<ShownName>,
    /// The position of the result in the request.
    pub place: ResultPlace,
    /// The kind of tool and of text.
    pub group: ResultGroup,
    /// The mode that applied to the result.
    pub mode: &'static str,
    /// What was done with the result.
    pub status: ResultStatus,
    /// True when a different text is sent.
    pub is_changed: bool,
    /// True when a named session sent a different text, or had different settings, for the same call before.
    pub is_renewed: bool,
    /// The stages that acted, in order, and the tokens that each saved.
    pub stages: Vec<(&'static str, i64)>,
    /// The size of the text as received.
    pub before: TextSize,
    /// The size of the text as sent.
    pub after: TextSize,
    /// The tokens of the result, before and after compression.
    pub tokens: TokenChange,
    /// Number of secrets masked in the result.
    pub redacted: usize,
    /// A hash of the call's arguments, with secrets masked.
    pub arguments: Option<u64>,
    /// The tokens of a shorter text that was found but not sent.
    pub would: Option<usize>,
}

/// The position of a result in its request.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ResultPlace {
    /// The index of the message.
    pub message: usize,
    /// The index of the result.
    pub result: usize,
}

/// The kind of tool and of text: our own words, so the number of groups is bounded.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ResultGroup {
    /// The kind of tool: `read`, `bash`, …
    pub tool: &'static str,
    /// The family of the text: `log`, `json`, …
    pub family: &'static str,
}

/// Totals of a group's results in one request, including repeated ones.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct GroupSum {
    /// The group.
    pub group: ResultGroup,
    /// Number of results.
    pub results: usize,
    /// Number of changed results.
    pub changed: usize,
    /// The tokens of these results.
    pub tokens: TokenChange,
}

impl ResultRecord {
    /// The record of the same result when the request is only observed: the original is sent.
    #[must_use]
    pub fn observed(&self) -> Self {
        if !self.is_changed {
            return self.clone();
        }
        Self {
            status: ResultStatus::Observed,
            is_changed: false,
            stages: Vec::new(),
            after: self.before,
            tokens: TokenChange::unchanged(self.tokens.before),
            redacted: 0,
            would: Some(self.tokens.after),
            ..self.clone()
        }
    }

    /// Approximate memory use in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let name = |name: &Option<ShownName>| name.as_ref().map_or(0, |name| name.as_str().len());
        size_of::<Self>() + name(&self.call) + name(&self.tool) + size_of_val(&*self.stages)
    }
}

impl GroupSum {
    /// Totals by group, in the order in which the groups first occur.
    #[must_use]
    pub fn of(results: &[Arc<ResultRecord>]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for result in results {
            let at = groups.iter().position(|sum| sum.group == result.group).unwrap_or_else(|| {
                groups.push(Self {
                    group: result.group,
                    results: 0,
                    changed: 0,
                    tokens: TokenChange::default(),
                });
                groups.len() - 1
            });
            let sum = &mut groups[at];
            sum.results += 1;
            sum.changed += usize::from(result.is_changed);
            sum.tokens += result.tokens;
        }
        groups
    }
}

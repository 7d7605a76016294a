//! The record of one tool result: numbers, our own words, and the names of its call and its tool. Never its text.

use std::sync::Arc;

use crate::shown_name::ShownName;
use crate::status::ResultStatus;
use crate::text_size::TextSize;
use crate::tokens::TokenChange;

/// What was done with one tool result.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ResultRecord {
    /// A number that the result keeps in later requests of its conversation.
    pub id: u64,
    /// The call that it answers.
    pub call: Option<ShownName>,
    /// The tool, by the name that the client gave it.
    pub tool: Option<ShownName>,
    /// Which message of the request it is in, and which of the request's results it is.
    pub place: ResultPlace,
    /// The kind of tool and of text.
    pub group: ResultGroup,
    /// The mode that applied to it.
    pub mode: &'static str,
    /// What was done with it.
    pub status: ResultStatus,
    /// True when another text is sent.
    pub is_changed: bool,
    /// True when a named session had another text, or other settings, under the same call before.
    pub is_renewed: bool,
    /// The stages that acted, in order, and the tokens that each saved.
    pub stages: Vec<(&'static str, i64)>,
    /// As received.
    pub before: TextSize,
    /// As sent.
    pub after: TextSize,
    /// Its tokens.
    pub tokens: TokenChange,
    /// Secrets that were masked in it.
    pub redacted: usize,
    /// A hash of the call's arguments, secrets masked.
    pub arguments: Option<u64>,
    /// The tokens that it would have had, where a shorter text was found but the original was sent.
    pub would: Option<usize>,
}

/// Where a result is in its request.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ResultPlace {
    /// The message, from 0.
    pub message: usize,
    /// The result, from 0.
    pub result: usize,
}

/// What results have in common: our own words, so that their number is bounded.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ResultGroup {
    /// The kind of tool: `read`, `bash`, …
    pub tool: &'static str,
    /// The family of the text: `log`, `json`, …
    pub family: &'static str,
}

/// All results of a group in one request, repeated ones included.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct GroupSum {
    /// The group.
    pub group: ResultGroup,
    /// How many results it has.
    pub results: usize,
    /// How many of them were changed.
    pub changed: usize,
    /// Their tokens.
    pub tokens: TokenChange,
}

impl ResultRecord {
    /// The record of the same result in a request that is only observed: the original is sent.
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

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let name = |name: &Option<ShownName>| name.as_ref().map_or(0, |name| name.as_str().len());
        size_of::<Self>() + name(&self.call) + name(&self.tool) + size_of_val(&*self.stages)
    }
}

impl GroupSum {
    /// The sums of results by group, in the order in which groups first occur.
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

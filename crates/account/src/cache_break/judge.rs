//! Decides whether a request broke the cache, and names the cause.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cache_break::cause::{BreakCause, BreakOwner, PromptBreak};
use crate::cache_break::change::PromptChange;
use crate::cache_break::marks::PromptMarks;
use crate::prompt_cache::{CacheKind, CacheRules};
use crate::usage::TokenUsage;

/// The part of a cached prompt that may be missing although nothing changed: providers round.
const SLACK_PERCENT: u64 = 5;

/// One request of a conversation.
#[derive(Clone, Debug)]
pub struct PromptTurn {
    /// What the client sent.
    pub came: Arc<PromptMarks>,
    /// What was forwarded.
    pub sent: Arc<PromptMarks>,
    /// The usage of its first round, if the provider reported it.
    pub usage: Option<TokenUsage>,
}

/// The cache break of `now`, which comes `idle_ms` milliseconds after `before` in the same conversation.
#[must_use]
pub fn judge(rules: CacheRules, before: &PromptTurn, now: &PromptTurn, idle_ms: i64) -> Option<PromptBreak> {
    let mut change = PromptChange::first(&before.came, &now.came);
    let mut is_ours = false;
    if let Some(ours) = PromptChange::first(&before.sent, &now.sent) {
        // What follows from the client's own change is not ours.
        if change.as_ref().is_none_or(|change| ours.is_before(change)) {
            (change, is_ours) = (Some(ours), true);
        }
    }
    let loss = Loss::of(rules, (before.usage, now.usage), change.is_some());
    let is_idle = idle_ms > CacheRules::lifetime_ms(before.came.is_hour);
    let cleared = now.sent.cleared.cmp(&before.sent.cleared);
    if is_ours && cleared == Ordering::Greater && is_idle {
        // The head may still be cached for another conversation. What was cleared was not.
        change = None;
    } else if is_ours && cleared != Ordering::Equal {
        let is_lost = cleared == Ordering::Less;
        let cause = if is_lost { BreakCause::ClearingLost } else { BreakCause::Cleared };
        change = Some(PromptChange::of(cause));
    }
    let change = match (loss, change) {
        (Loss::None, _) | (Loss::Unknown, None) => return None,
        (Loss::All(_), _) | (Loss::Some(_), None) if is_idle => (PromptChange::of(BreakCause::Idle), false),
        (_, Some(change)) => (change, is_ours),
        (_, None) if is_attributed(rules, before, now) => (PromptChange::at(BreakCause::System, 0), false),
        (_, None) => (PromptChange::of(BreakCause::Nothing), false),
    };
    let mut found = change.0.into_break();
    if change.1 {
        (found.owner, found.server) = (BreakOwner::Us, None);
    }
    found.lost = loss.tokens();
    Some(found)
}

/// True when the line that attributes requests changes and the cache is never read: a server that takes the line for a
/// part of the prompt cannot read anything after it.
fn is_attributed(rules: CacheRules, before: &PromptTurn, now: &PromptTurn) -> bool {
    let is_never_read = before.usage.is_some_and(|usage| usage.cache_read < rules.min_tokens);
    is_never_read && before.came.attribution != now.came.attribution
}

/// What was lost of the cached prompt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Loss {
    /// The provider's usage does not tell.
    Unknown,
    /// Nothing that could have been read, or so little that providers lose it by rounding.
    None,
    /// This many tokens, and some were read.
    Some(u64),
    /// This many tokens, and none was read.
    All(u64),
}

impl Loss {
    fn of(
        rules: CacheRules,
        (before, now): (Option<TokenUsage>, Option<TokenUsage>),
        is_changed: bool,
    ) -> Self {
        let (Some(before), Some(now)) = (before, now) else { return Self::Unknown };
        if before.read() < rules.min_tokens {
            return Self::None;
        }
        if before.cache_read + before.cache_write + now.cache_read == 0 {
            return Self::Unknown;
        }
        // Where the provider decides what is cached, it reports what was read, not what it stored: maybe all of it.
        let cached = match rules.kind {
            CacheKind::Automatic if before.cache_write == 0 && is_changed => before.read(),
            CacheKind::Automatic | CacheKind::Marked => before.cache_read.saturating_add(before.cache_write),
        };
        let lost = cached.saturating_sub(now.cache_read);
        let slack = match rules.kind {
            CacheKind::Marked if is_changed => 0,
            CacheKind::Automatic if is_changed => 2 * rules.step_tokens,
            CacheKind::Automatic | CacheKind::Marked => cached / 100 * SLACK_PERCENT,
        };
        match now.cache_read {
            _ if lost <= slack => Self::None,
            0 => Self::All(lost),
            _ => Self::Some(lost),
        }
    }

    fn tokens(self) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::None => Some(0),
            Self::Some(lost) | Self::All(lost) => Some(lost),
        }
    }
}

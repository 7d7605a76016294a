//! What is told of one tool result.

use crate::shown::ShownName;
use crate::tokens::TokenChange;

/// What is told of a tool result when a conversation first has it. Requests that repeat it only count it.
#[derive(Clone, Debug)]
pub struct ResultEvent {
    /// The call that it answers.
    pub call: Option<ShownName>,
    /// The tool, by the name that the client gave it.
    pub tool: Option<ShownName>,
    /// Which message of the request it is in, and which of the request's results it is.
    pub place: ResultPlace,
    /// What kind of tool and of text it is.
    pub group: ResultGroup,
    /// What was allowed.
    pub mode: &'static str,
    /// What became of it.
    pub status: ResultStatus,
    /// The stages that acted, in order, and what each saved.
    pub stages: Vec<(&'static str, i64)>,
    /// As it came.
    pub before: TextSize,
    /// As it was sent.
    pub after: TextSize,
    /// Its tokens.
    pub tokens: TokenChange,
    /// Secrets that were masked in it.
    pub redacted: usize,
    /// True when a named session had another text, or other settings, under the same call before.
    pub is_renewed: bool,
    /// A hash of what the tool was asked for, secrets masked.
    pub arguments: Option<u64>,
    /// The tokens that it would have had, where it was sent as it came and something else was found.
    pub would: Option<usize>,
}

/// Where a result stands in its request.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ResultPlace {
    /// The message, from 0.
    pub message: usize,
    /// The result, from 0.
    pub result: usize,
}

/// What results have in common: words of ours, so that their number is bounded.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ResultGroup {
    /// The kind of tool: `read`, `bash`, …
    pub tool: &'static str,
    /// The family of the text: `log`, `json`, …
    pub family: &'static str,
}

/// The size of a text, and a hash to know it by.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct TextSize {
    /// Its bytes.
    pub bytes: usize,
    /// Its characters.
    pub chars: usize,
    /// Its lines.
    pub lines: usize,
    /// Its hash.
    pub fingerprint: u64,
}

/// All results of a group in one request, those that were told of before too.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct GroupSum {
    /// The group.
    pub group: ResultGroup,
    /// How many there are.
    pub results: usize,
    /// How many of them were changed.
    pub changed: usize,
    /// Their tokens.
    pub tokens: TokenChange,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ResultStatus {
    /// Something shorter is sent.
    Compressed,
    /// So it is, by the word of a compressor that was kept.
    CacheHit,
    /// It is too short to be worth it.
    PassthroughSmall,
    /// It is too long to be looked at.
    PassthroughLarge,
    /// The settings leave it alone.
    SkippedByConfig,
    /// It has been through here before.
    AlreadyCompressed,
    /// We failed at it, or could not read it.
    Passthrough,
    /// Nothing shorter, or not enough, was found to say.
    RatioExceeded,
    /// Something else was found, and only told.
    Observed,
}

impl ResultStatus {
    /// Its name in events and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compressed => "compressed",
            Self::CacheHit => "cache_hit",
            Self::PassthroughSmall => "passthrough_small",
            Self::PassthroughLarge => "passthrough_large",
            Self::SkippedByConfig => "skipped_by_config",
            Self::AlreadyCompressed => "already_compressed",
            Self::Passthrough => "passthrough",
            Self::RatioExceeded => "ratio_exceeded",
            Self::Observed => "observed",
        }
    }
}

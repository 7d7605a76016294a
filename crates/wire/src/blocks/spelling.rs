//! How a provider spells a message of content blocks.

use tersely_json::JsonNode;

use crate::blocks::kind::BlockKind;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenAsk;
use crate::protocol::failure::RoundFailure;

/// How a provider spells a message of content blocks.
pub(crate) struct BlockSpelling {
    /// The blocks of a message that was sent at once.
    pub(crate) content: for<'a> fn(&JsonNode<'a>) -> Option<JsonNode<'a>>,
    /// The member that says why the model stopped.
    pub(crate) stop: &'static str,
    /// What a block is.
    pub(crate) kind: KindOf,
    /// The call of the hidden tool that a block is.
    pub(crate) ask: fn(&JsonNode<'_>) -> HiddenAsk,
    /// A block that says this, which is a JSON string.
    pub(crate) text: fn(&str) -> String,
    /// An error.
    pub(crate) error: fn(RoundFailure<'_>) -> String,
    /// What its counts are called, none of them counted yet.
    pub(crate) no_tokens: fn() -> UsageTally,
}

/// What a block is, for a request that hides tools of these names.
pub(crate) type KindOf = fn(&JsonNode<'_>, HiddenNames) -> BlockKind;

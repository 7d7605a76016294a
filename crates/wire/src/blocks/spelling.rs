//! The functions in which providers of content blocks differ.

use tersely_json::JsonNode;

use crate::blocks::kind::BlockKind;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenAsk;
use crate::protocol::failure::RoundFailure;

/// A provider's spelling of messages of content blocks.
pub(crate) struct BlockSpelling {
    /// Finds the blocks of a message that arrives as one body.
    pub(crate) content: for<'a> fn(&JsonNode<'a>) -> Option<JsonNode<'a>>,
    /// The member with the stop reason.
    pub(crate) stop: &'static str,
    /// The kind of a block.
    pub(crate) kind: KindOf,
    /// The call of a hidden tool in a block.
    pub(crate) ask: fn(&JsonNode<'_>) -> HiddenAsk,
    /// A text block with this text, which is a JSON string.
    pub(crate) text: fn(&str) -> String,
    /// The provider's error object.
    pub(crate) error: fn(RoundFailure<'_>) -> String,
    /// The provider's counts, all zero.
    pub(crate) no_tokens: fn() -> UsageTally,
}

/// The kind of a block, given the names of the hidden tools.
pub(crate) type KindOf = fn(&JsonNode<'_>, HiddenNames) -> BlockKind;

//! The functions that differ between providers that use content blocks.

use tersely_json::JsonNode;

use crate::blocks::kind::BlockKind;
use crate::hidden::names::HiddenNames;
use crate::hidden::tally::UsageTally;
use crate::hidden::turn::HiddenAsk;
use crate::protocol::failure::RoundFailure;

/// A provider's format for messages made of content blocks.
pub(crate) struct BlockSpelling {
    /// Finds the array of blocks in a message that arrives as one body.
    pub(crate) content: for<'a> fn(&JsonNode<'a>) -> Option<JsonNode<'a>>,
    /// The member that contains the stop reason.
    pub(crate) stop: &'static str,
    /// Returns the kind of a block.
    pub(crate) kind: KindOf,
    /// Reads the call of a hidden tool from a block.
    pub(crate) ask: fn(&JsonNode<'_>) -> HiddenAsk,
    /// Writes a text block; the argument is a JSON string.
    pub(crate) text: fn(&str) -> String,
    /// Writes the provider's error object.
    pub(crate) error: fn(RoundFailure<'_>) -> String,
    /// An empty tally with the names of the provider's counts, in order.
    pub(crate) no_tokens: fn() -> UsageTally,
}

/// Returns the kind of a block, given the names of the hidden tools.
pub(crate) type KindOf = fn(&JsonNode<'_>, HiddenNames) -> BlockKind;

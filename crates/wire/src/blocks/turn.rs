//! Collects the content blocks of a model's turn, so that the turn can be sent again.

use serde::de::IgnoredAny;
use tersely_json::{JsonError, JsonNode, list};

use crate::blocks::kind::BlockKind;
use crate::blocks::spelling::KindOf;
use crate::hidden::names::HiddenNames;
use crate::hidden::turn::{HiddenAsk, HiddenTurn, MAX_HELD_BYTES};

/// A block that arrives in pieces.
pub(crate) trait TurnBlock {
    /// Returns the kind of a block.
    const KIND_OF: KindOf;

    /// The complete block; `None` when the block cannot be sent back.
    fn to_json(&self) -> Option<Vec<u8>>;

    /// The call, if the block calls a hidden tool.
    fn ask(&self) -> Option<HiddenAsk>;
}

/// The blocks of one turn.
#[derive(Debug)]
pub(crate) struct TurnBlocks<B> {
    pub(crate) all: Vec<B>,
    size: usize,
    /// True when a piece is missing, so the turn cannot be sent back.
    pub(crate) is_lost: bool,
}

/// The memory that a block uses in addition to its bytes.
pub(crate) const BLOCK_OVERHEAD_BYTES: usize = 256;

impl<B> Default for TurnBlocks<B> {
    fn default() -> Self {
        Self { all: Vec::new(), size: 0, is_lost: false }
    }
}

impl<B: TurnBlock> TurnBlocks<B> {
    /// The turn, if the turn is complete and calls a hidden tool.
    pub(crate) fn turn(&self) -> Option<HiddenTurn> {
        let blocks: Option<Vec<_>> = self.all.iter().map(B::to_json).collect();
        let messages = message(B::KIND_OF, blocks?.iter().map(Vec::as_slice))?;
        let asks: Vec<_> = self.all.iter().filter_map(B::ask).collect();
        (!self.is_lost && !asks.is_empty()).then_some(HiddenTurn { asks, messages })
    }

    /// Reserves space for `more` bytes; returns false when the limit is reached.
    pub(crate) fn has_room(&mut self, more: usize) -> bool {
        self.size += more;
        if self.size > MAX_HELD_BYTES {
            self.lose();
        }
        !self.is_lost
    }

    /// Gives up on this turn: it cannot be sent back.
    pub(crate) fn lose(&mut self) {
        self.is_lost = true;
        self.all = Vec::new();
    }
}

/// Builds the request that continues `body`. It contains the messages of `body`, the turn, and a user message with
/// the answers. `result` writes each answer, given the id of its call.
pub(crate) fn answer(
    turn: &HiddenTurn,
    answers: &[String],
    body: &[u8],
    result: fn(&str, &str) -> String,
) -> Result<Vec<u8>, JsonError> {
    let results: Vec<_> = turn.asks.iter().zip(answers).map(|(ask, text)| result(&ask.id, text)).collect();
    let user = format!(r#"{},{{"role":"user","content":[{}]}}"#, turn.messages, results.join(","));
    list::push("messages", &user, body)
}

/// Writes an assistant message with these blocks. Blank texts are omitted, because providers refuse them, even those
/// that they wrote themselves.
pub(crate) fn message<'a>(kind: KindOf, blocks: impl Iterator<Item = &'a [u8]>) -> Option<String> {
    let blocks: Vec<_> = blocks.filter(|block| !is_blank(kind, block)).map(String::from_utf8_lossy).collect();
    let message = format!(r#"{{"role":"assistant","content":[{}]}}"#, blocks.join(","));
    serde_json::from_str::<IgnoredAny>(&message).is_ok().then_some(message)
}

fn is_blank(kind: KindOf, block: &[u8]) -> bool {
    let is_text = |block: &JsonNode<'_>| kind(block, HiddenNames::NONE) == BlockKind::Text;
    let text = JsonNode::object(block).filter(is_text).and_then(|block| block.get("text")?.text());
    text.is_some_and(|text| text.trim().is_empty())
}

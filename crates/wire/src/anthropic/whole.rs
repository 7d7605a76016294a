//! Describes Anthropic's message format.

use super::{turn, words};
use crate::blocks::spelling::BlockSpelling;

/// Anthropic's message format.
pub(super) static SPELLING: BlockSpelling = BlockSpelling {
    content: |message| message.get("content"),
    stop: "stop_reason",
    kind: turn::kind,
    ask: turn::ask,
    text: |text| format!(r#"{{"type":"text","text":{text}}}"#),
    error: words::error,
    no_tokens: words::no_tokens,
};

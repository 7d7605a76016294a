//! Describes Converse's message format.

use super::{turn, words};
use crate::blocks::spelling::BlockSpelling;

/// Converse's message format.
pub(super) static SPELLING: BlockSpelling = BlockSpelling {
    content: |response| response.get("output")?.get("message")?.get("content"),
    stop: "stopReason",
    kind: turn::kind,
    ask: turn::ask,
    text: |text| format!(r#"{{"text":{text}}}"#),
    error: words::error,
    no_tokens: words::no_tokens,
};

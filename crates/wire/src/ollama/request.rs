//! Finds places in Ollama's chat: the messages of Chat Completions, with arguments as objects and results that name
//! their tool.

pub(super) use crate::chat::request::{descriptions, prompts, slots, spoken};
use crate::request::context_management;

/// True when results may be left out of what the model reads: the oldest messages are where they do not fit, unless it
/// is told not to.
pub(super) fn drops_results(body: &[u8]) -> bool {
    context_management::member("truncate", body).is_none_or(|how| how != false)
}

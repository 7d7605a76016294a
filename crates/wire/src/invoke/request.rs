//! Finds places in what Bedrock's `InvokeModel` carries, if that is Anthropic's Messages. Only those say a version of
//! Anthropic's in the body; in any other shape nothing is found.

use crate::anthropic::request;
use crate::error::WireError;
use crate::protocol::json::member::top_members;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;

/// Every text of every tool result, in order.
pub(super) fn slots(body: &[u8]) -> Result<Vec<Slot<'_>>, WireError> {
    if is_anthropic(body)? { request::slots(body) } else { Ok(Vec::new()) }
}

/// Every description of a tool and of the parts of its schemas, in order.
pub(super) fn descriptions(body: &[u8]) -> Result<Vec<ToolDescription<'_>>, WireError> {
    if is_anthropic(body)? { request::descriptions(body) } else { Ok(Vec::new()) }
}

/// Every text of every message of a user, in order.
pub(super) fn prompts(body: &[u8]) -> Result<Vec<UserPrompt<'_>>, WireError> {
    if is_anthropic(body)? { request::prompts(body) } else { Ok(Vec::new()) }
}

/// True when results may be left out of what the model reads.
pub(super) fn drops_results(body: &[u8]) -> bool {
    request::drops_results(body)
}

/// True when the body says which version of Anthropic's API it is for.
pub(super) fn is_anthropic(body: &[u8]) -> Result<bool, WireError> {
    Ok(!top_members(&["anthropic_version"], body)?.is_empty())
}

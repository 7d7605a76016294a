//! Recognises Anthropic's Messages among the bodies of `InvokeModel`.

use tersely_json::{JsonError, top_members};

/// True when the body contains a version of Anthropic's API.
pub(super) fn is_anthropic(body: &[u8]) -> Result<bool, JsonError> {
    Ok(!top_members(&["anthropic_version"], body)?.is_empty())
}

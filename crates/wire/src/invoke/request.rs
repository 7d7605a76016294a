//! Recognises Anthropic's Messages among the bodies of `InvokeModel`.

use tersely_json::{JsonError, JsonScan, top_members};

use crate::anthropic;
use crate::request::findings::RequestFindings;

/// Reads a request; nothing is found in a body of another vendor.
pub(super) fn walk<'a>(scan: &mut JsonScan<'a>, found: &mut RequestFindings<'a>) -> Result<(), JsonError> {
    anthropic::request::walk(scan, found)?;
    if !found.members.iter().any(|(name, _)| *name == "anthropic_version") {
        *found = RequestFindings::default();
    }
    Ok(())
}

/// True when the body contains a version of Anthropic's API.
pub(super) fn is_anthropic(body: &[u8]) -> Result<bool, JsonError> {
    Ok(!top_members(&["anthropic_version"], body)?.is_empty())
}

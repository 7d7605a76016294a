//! What a request lets its provider leave out of what the model reads.
//!
//! Where results may be gone by the time that a later one is read, no later one can name them.

use serde_json::Value;
use tersely_json::top_members;

/// Edits of Anthropic's that touch thoughts only.
const THOUGHTS: &str = "clear_thinking";

/// True when `context_management`, as Anthropic or Responses spell it, clears or compacts more than thoughts.
pub(crate) fn is_managed(body: &[u8]) -> bool {
    let Some(value) = member("context_management", body) else { return false };
    let edits = value.get("edits").unwrap_or(&value).as_array();
    let drops = |edit: &Value| !edit["type"].as_str().is_some_and(|kind| kind.starts_with(THOUGHTS));
    // What is managed in a way that nobody here knows may be dropped.
    edits.map_or(!value.is_null() && value != Value::Object(serde_json::Map::new()), |edits| {
        edits.iter().any(drops)
    })
}

/// Plugins of routers that leave the middle of a conversation out.
const SQUEEZES: &str = "context-compression";

/// True when a router of Chat Completions may leave the middle of a conversation out.
pub(crate) fn is_squeezed(body: &[u8]) -> bool {
    let some = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
    let is_on = |plugin: &Value| plugin["id"] == SQUEEZES && plugin["enabled"] != false;
    let squeezes = |value: &Value| value.as_array().is_some_and(|plugins| plugins.iter().any(is_on));
    member("transforms", body).as_ref().is_some_and(some)
        || member("plugins", body).as_ref().is_some_and(squeezes)
}

/// The member of this name at the top of a body.
pub(crate) fn member(name: &'static str, body: &[u8]) -> Option<Value> {
    let found = top_members(&[name], body).unwrap_or_default();
    serde_json::from_slice(found.first()?.value).ok()
}

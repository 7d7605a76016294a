//! Checks whether a request allows its provider to omit results from the model's input.
//!
//! If so, later results must not refer to earlier results, because the provider may have removed them.

use serde_json::Value;

use crate::request::reading::Reading;

/// Anthropic's edits that remove only reasoning.
const THOUGHTS: &str = "clear_thinking";

/// True when `context_management`, in the format of Anthropic or of Responses, clears or compacts more than
/// reasoning.
pub(crate) fn is_managed(reading: &Reading<'_>) -> bool {
    let Some(value) = member("context_management", reading) else { return false };
    let edits = value.get("edits").unwrap_or(&value).as_array();
    let drops = |edit: &Value| !edit["type"].as_str().is_some_and(|kind| kind.starts_with(THOUGHTS));
    // Unknown edits may remove results.
    edits.map_or(!value.is_null() && value != Value::Object(serde_json::Map::new()), |edits| {
        edits.iter().any(drops)
    })
}

/// The name of a router's plugin that omits the middle of a conversation.
const SQUEEZES: &str = "context-compression";

/// True when a router with a Chat Completions API may omit the middle of a conversation.
pub(crate) fn is_squeezed(reading: &Reading<'_>) -> bool {
    let some = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
    let is_on = |plugin: &Value| plugin["id"] == SQUEEZES && plugin["enabled"] != false;
    let squeezes = |value: &Value| value.as_array().is_some_and(|plugins| plugins.iter().any(is_on));
    member("transforms", reading).as_ref().is_some_and(some)
        || member("plugins", reading).as_ref().is_some_and(squeezes)
}

/// Reads the member `name` of a request.
pub(crate) fn member(name: &str, reading: &Reading<'_>) -> Option<Value> {
    serde_json::from_slice(reading.value(name)?).ok()
}

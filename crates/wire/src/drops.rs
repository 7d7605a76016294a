//! What a request lets its provider leave out of what the model reads.
//!
//! Where results may be gone by the time that a later one is read, no later one can name them.

use serde_json::Value;

use crate::json::member::members;

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
    let found = members(&[name], body).unwrap_or_default();
    serde_json::from_slice(found.first()?.value).ok()
}

#[cfg(test)]
mod tests {
    use crate::PROVIDERS;

    fn check(provider: &str, body: &str, drops: bool) {
        let provider = PROVIDERS.into_iter().find(|known| known.name() == provider).expect("a provider");
        assert_eq!(provider.drops_results(body.as_bytes()), drops, "{body}");
    }

    #[test]
    fn what_clears_tool_uses_drops_results() {
        for (managed, drops) in [
            (r#"{"edits":[{"type":"clear_tool_uses_20250919"}]}"#, true),
            (r#"{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}"#, false),
            (r#"{"edits":[{"type":"clear_thinking_20251015"},{"type":"compact_20260112"}]}"#, true),
            (r#"{"edits":[{"type":"something_new"}]}"#, true),
            (r#"{"edits":[]}"#, false),
            (r#"{"other":1}"#, true),
            ("null", false),
            ("{}", false),
        ] {
            check("anthropic", &format!(r#"{{"context_management":{managed},"messages":[]}}"#), drops);
        }
        check("anthropic", r#"{"messages":[{"context_management":{"edits":[{"type":"x"}]}}]}"#, false);
    }

    #[test]
    fn what_truncates_or_compacts_drops_results() {
        for (member, drops) in [
            (r#""truncation":"auto""#, true),
            (r#""truncation":"disabled""#, false),
            (r#""truncation":null"#, false),
            (r#""context_management":[{"type":"compaction","compact_threshold":9000}]"#, true),
            (r#""store":false"#, false),
        ] {
            check("responses", &format!(r#"{{{member},"input":[]}}"#), drops);
        }
        check("chat", r#"{"messages":[],"transforms":["middle-out"]}"#, true);
        check("chat", r#"{"messages":[],"transforms":[]}"#, false);
        check("chat", r#"{"messages":[],"plugins":[{"id":"context-compression"}]}"#, true);
        check("chat", r#"{"messages":[],"plugins":[{"id":"context-compression","enabled":false}]}"#, false);
        check("chat", r#"{"messages":[],"plugins":[{"id":"web"}]}"#, false);
        check("chat", r#"{"messages":[]}"#, false);
    }

    /// Ollama leaves the oldest messages out where they do not fit, unless it is told not to.
    #[test]
    fn ollama_drops_results_unless_told_not_to() {
        check("ollama", r#"{"messages":[]}"#, true);
        check("ollama", r#"{"messages":[],"truncate":true}"#, true);
        check("ollama", r#"{"messages":[],"truncate":false}"#, false);
    }
}

//! Reads what a provider itself says about its cache, if the client asked it to compare two requests.

use serde_json::Value;
use tersely_account::CacheDiagnosis;

/// Anthropic's member of a message.
pub(crate) const ANTHROPIC: &str = "diagnostics";

/// The member of `OpenAI`'s Responses.
pub(crate) const RESPONSES: &str = "prompt_cache_diagnostics";

/// The members of responses that contain a diagnosis.
pub const DIAGNOSES: [&str; 2] = [ANTHROPIC, RESPONSES];

/// The diagnosis in the member with this name; `None` if the provider found no difference, or is not ready.
#[must_use]
pub fn cache_diagnosis(member: &str, value: &Value) -> Option<CacheDiagnosis> {
    let (reason, tokens) = match (member, value["type"].as_str()) {
        (ANTHROPIC, _) => {
            let reason = &value["cache_miss_reason"];
            (&reason["type"], &reason["cache_missed_input_tokens"])
        }
        (RESPONSES, Some("cache_miss")) => (&value["reason"], &value["cache_missed_tokens"]),
        (RESPONSES, Some("cache_hit") | None) => return None,
        // It could not compare.
        (RESPONSES, Some(_)) => (&value["type"], &Value::Null),
        _ => return None,
    };
    CacheDiagnosis::of(reason.as_str()?, tokens.as_u64())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(member: &str, value: &Value, expected: Option<(&str, Option<u64>)>) {
        let found = cache_diagnosis(member, value);
        assert_eq!(found.as_ref().map(|it| (it.reason.as_str(), it.tokens)), expected, "{value}");
    }

    #[test]
    fn both_providers_say_why() {
        let reason = json!({ "type": "tools_changed", "cache_missed_input_tokens": 321 });
        check(ANTHROPIC, &json!({ "cache_miss_reason": reason }), Some(("tools_changed", Some(321))));
        let reason = json!({ "type": "unavailable" });
        check(ANTHROPIC, &json!({ "cache_miss_reason": reason }), Some(("unavailable", None)));
        check(ANTHROPIC, &json!({ "cache_miss_reason": null }), None);
        check(ANTHROPIC, &Value::Null, None);
        let missed = json!({ "type": "cache_miss", "reason": "tools_changed", "cache_missed_tokens": 7 });
        check(RESPONSES, &missed, Some(("tools_changed", Some(7))));
        check(RESPONSES, &json!({ "type": "cache_hit" }), None);
        let unknown = json!({ "type": "comparison_response_not_found" });
        check(RESPONSES, &unknown, Some(("comparison_response_not_found", None)));
        check(RESPONSES, &Value::Null, None);
    }

    #[test]
    fn what_is_no_plain_word_is_not_kept() {
        let reason = json!({ "type": "a sentence of a prompt", "cache_missed_input_tokens": -1 });
        check(ANTHROPIC, &json!({ "cache_miss_reason": reason }), None);
        check(ANTHROPIC, &json!({ "cache_miss_reason": { "type": 7 } }), None);
        check("usage", &missing(), None);
    }

    fn missing() -> Value {
        json!({ "cache_miss_reason": { "type": "tools_changed" } })
    }
}

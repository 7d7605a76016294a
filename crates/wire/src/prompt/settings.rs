//! Hashes the settings of a request that change its prompt.

use tersely_account::{PromptSettings, quick_hash};
use tersely_json::JsonNode;

use crate::prompt::context::PromptContext;
use crate::prompt::digest::{UnorderedDepth, digest};
use crate::request::reading::Reading;

/// The hashes of the settings of a request.
pub(super) fn settings(context: &PromptContext<'_>, reading: &Reading<'_>) -> PromptSettings {
    let hash = |bytes: &[u8]| digest(UnorderedDepth::MESSAGE, bytes).map_or(0, |it| it.loose);
    let whole = |name: &str| reading.value(name).filter(|value| *value != b"null").map_or(0, hash);
    let inner = |name: &str, member: &str| {
        let value = reading.value(name).and_then(|bytes| JsonNode::object(bytes)?.get(member));
        value.map_or(0, |value| hash(value.bytes()))
    };
    let first = |hashes: &[u64]| hashes.iter().copied().find(|hash| *hash != 0).unwrap_or(0);
    let generation =
        |member: &str| first(&[inner("generationConfig", member), inner("generation_config", member)]);
    let extra = |member: &str| inner("additionalModelRequestFields", member);
    PromptSettings {
        model: context.model.map_or(0, |model| quick_hash(model.as_bytes())),
        betas: context.betas,
        cache_key: whole("prompt_cache_key"),
        effort: first(&[
            inner("output_config", "effort"),
            whole("reasoning_effort"),
            inner("reasoning", "effort"),
        ]),
        thinking: first(&[whole("thinking"), generation("thinkingConfig"), extra("thinking")]),
        format: first(&[
            inner("output_config", "format"),
            whole("output_format"),
            whole("response_format"),
            whole("text"),
            generation("responseSchema"),
            generation("responseJsonSchema"),
        ]),
        tool_choice: first(&[
            whole("tool_choice"),
            inner("toolConfig", "toolChoice"),
            inner("toolConfig", "functionCallingConfig"),
        ]),
    }
}

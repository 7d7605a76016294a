//! Lists every provider, and tells whose body a request carries.

use crate::anthropic::AnthropicMessages;
use crate::chat::ChatCompletions;
use crate::gemini::GeminiContents;
use crate::ollama::OllamaChat;
use crate::provider::Provider;
use crate::responses::ResponsesApi;

/// Every shape there is.
pub const PROVIDERS: [&dyn Provider; 5] =
    [&AnthropicMessages, &ChatCompletions, &ResponsesApi, &GeminiContents, &OllamaChat];

/// The provider whose body a request to `path` carries; a query does not matter.
#[must_use]
pub fn claimed_provider(path: &str) -> Option<&'static dyn Provider> {
    let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
    PROVIDERS.into_iter().find(|provider| provider.claims(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, name: Option<&str>) {
        assert_eq!(claimed_provider(path).map(Provider::name), name, "{path}");
    }

    #[test]
    fn paths_of_the_providers_are_claimed() {
        check("/v1/messages", Some("anthropic"));
        check("/v1/messages?beta=true", Some("anthropic"));
        check("/v1/messages/count_tokens", Some("anthropic"));
        check("/v1/chat/completions", Some("chat"));
        check("/v1/responses", Some("responses"));
        check("/v1/responses/", Some("responses"));
        check("/v1/responses/input_tokens", Some("responses"));
        check("/v1/responses/compact", Some("responses"));
        check("/v1beta/models/gemini-2.5-pro:generateContent", Some("gemini"));
        check("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", Some("gemini"));
        check("/v1beta/models/gemini-2.5-pro:countTokens", Some("gemini"));
        check("/api/chat", Some("ollama"));
    }

    #[test]
    fn paths_of_compatible_servers_are_claimed() {
        check("/api/anthropic/v1/messages", Some("anthropic"));
        check("/messages", Some("anthropic"));
        check("/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict", Some("anthropic"));
        check("/api/v1/chat/completions", Some("chat"));
        check("/openai/deployments/gpt/chat/completions?api-version=1", Some("chat"));
        check("/v1beta/openai/chat/completions", Some("chat"));
        check("/chat/completions", Some("chat"));
        check("/backend-api/codex/responses", Some("responses"));
        check("/v1internal:streamGenerateContent", Some("gemini"));
        check("/v1/projects/p/locations/l/publishers/google/models/g:generateContent", Some("gemini"));
    }

    #[test]
    fn other_paths_are_not() {
        for path in [
            "",
            "/",
            "/v1/models",
            "/v1/messages/batches",
            "/v1/threads/t/messages",
            "/v1/responses/resp_1",
            "/v1/responses/resp_1/cancel",
            "/v1/embeddings",
            "/v1/completions",
            "/v1beta/models/g:embedContent",
            "/model/anthropic.claude/invoke",
            "/api/generate",
            "/v1/xmessages",
        ] {
            check(path, None);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names = PROVIDERS.map(Provider::name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}

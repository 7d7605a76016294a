//! Lists every provider, and finds the provider of a request by its path.

use crate::provider::Provider;
use crate::{anthropic, chat, converse, gemini, invoke, ollama, responses};

/// All supported APIs.
pub const PROVIDERS: [&Provider; 7] = [
    &anthropic::PROVIDER,
    &chat::PROVIDER,
    &responses::PROVIDER,
    &gemini::PROVIDER,
    &ollama::PROVIDER,
    &converse::PROVIDER,
    &invoke::PROVIDER,
];

/// The provider that handles requests to `path`; the query is ignored.
#[must_use]
pub fn claimed_provider(path: &str) -> Option<&'static Provider> {
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
        check("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse", Some("converse"));
        check("/model/amazon.nova-pro-v1:0/converse-stream", Some("converse"));
        check("/model/anthropic.claude/invoke", Some("invoke"));
        let profile = "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx";
        check(&format!("/model/{profile}/invoke-with-response-stream"), Some("invoke"));
    }

    #[test]
    fn paths_of_compatible_servers_are_claimed() {
        check("/api/anthropic/v1/messages", Some("anthropic"));
        check("/messages", Some("anthropic"));
        check("/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict", Some("anthropic"));
        check("/api/v1/chat/completions", Some("chat"));
        check("/openai/deployments/gpt/chat/completions?api-version=1", Some("chat"));
        check("/openai/v1/chat/completions", Some("chat"));
        check("/openai/v1/responses?api-version=preview", Some("responses"));
        check("/openai/responses?api-version=1", Some("responses"));
        check("/v1/projects/p/locations/l/endpoints/openapi/chat/completions", Some("chat"));
        check("/v1beta/openai/chat/completions", Some("chat"));
        check("/chat/completions", Some("chat"));
        check("/backend-api/codex/responses", Some("responses"));
        check("/v1internal:streamGenerateContent", Some("gemini"));
        check("/v1/projects/p/locations/l/publishers/google/models/g:generateContent", Some("gemini"));
        check("/v1beta1/publishers/google/models/g:streamGenerateContent?alt=sse", Some("gemini"));
        check("/v1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict", Some("anthropic"));
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
            "/model/anthropic.claude/count-tokens",
            "/model/m/invoke-with-bidirectional-stream",
            "/converse",
            "/v1/projects/p/locations/l/publishers/google/models/g:predict",
            "/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict",
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

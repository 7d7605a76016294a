//! The shapes of request bodies that tool results are found in.

use crate::anthropic::Anthropic;
use crate::chat::Chat;
use crate::gemini::Gemini;
use crate::hidden::Hides;
use crate::ollama::Ollama;
use crate::responses::Responses;
use crate::{Description, Prompt, Slot, WireError};

/// An API's shape.
pub trait Provider: Sync {
    /// Its name in settings and records.
    fn name(&self) -> &'static str;

    /// True when a request to `path`, without its query, has a body of this shape.
    fn claims(&self, path: &str) -> bool;

    /// Every text of every tool result in `body`, in order.
    ///
    /// # Errors
    /// When the body is not JSON that everyone reads alike; it should go on as it is.
    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError>;

    /// Every description of a tool in `body` and of the parts of its schemas, in order.
    ///
    /// # Errors
    /// As with slots.
    fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<Description<'a>>, WireError>;

    /// Every text of every message of a user in `body`, in order.
    ///
    /// # Errors
    /// As with slots.
    fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<Prompt<'a>>, WireError>;

    /// Where the rest of the conversation is that `body` belongs to.
    fn history(&self, _body: &[u8]) -> History {
        History::Here
    }

    /// True when `body` lets the provider leave results out of what the model reads.
    fn drops_results(&self, _body: &[u8]) -> bool {
        false
    }

    /// How a tool is hidden in requests to `target`, a path with its query, and in their responses; `None` where it
    /// cannot be.
    fn hides(&self, _target: &str) -> Option<&'static dyn Hides> {
        None
    }
}

/// Where a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// All of it is in the request, and will be in the next.
    Here,
    /// All of it is in the request, but the next may only name it.
    Named,
    /// The request names what came before it: the provider has it.
    Elsewhere,
}

impl History {
    /// True when the provider keeps it, so that a later request can go on from it by its name.
    #[must_use]
    pub fn is_kept(self) -> bool {
        self != Self::Here
    }
}

/// Every shape there is.
pub const PROVIDERS: [&dyn Provider; 5] = [&Anthropic, &Chat, &Responses, &Gemini, &Ollama];

/// The provider whose body a request to `path` carries; a query does not matter.
#[must_use]
pub fn claimed(path: &str) -> Option<&'static dyn Provider> {
    let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
    PROVIDERS.into_iter().find(|provider| provider.claims(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, name: Option<&str>) {
        assert_eq!(claimed(path).map(Provider::name), name, "{path}");
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

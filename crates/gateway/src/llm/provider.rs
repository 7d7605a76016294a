//! Tells by path and headers whose API a request is for.

use http::{HeaderMap, Uri};

/// An API's shape.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Provider {
    /// Anthropic's Messages.
    Anthropic,
    /// Chat Completions and Responses of `OpenAI`, and all that copy them.
    OpenAi,
    /// Google's Gemini.
    Gemini,
    /// Ollama.
    Ollama,
}

/// Paths that belong to one provider whatever the headers say.
const PATHS: [(&str, Provider); 8] = [
    ("/v1/messages", Provider::Anthropic),
    ("/v1/chat", Provider::OpenAi),
    ("/v1/responses", Provider::OpenAi),
    ("/v1/completions", Provider::OpenAi),
    ("/v1/embeddings", Provider::OpenAi),
    ("/v1beta", Provider::Gemini),
    ("/v1alpha", Provider::Gemini),
    ("/api/chat", Provider::Ollama),
];

/// Headers that only one provider's clients send.
const HEADERS: [(&str, Provider); 3] = [
    ("anthropic-version", Provider::Anthropic),
    ("anthropic-beta", Provider::Anthropic),
    ("x-goog-api-key", Provider::Gemini),
];

/// What is left: paths that several providers have, and the one who has most of them.
const REST: [(&str, Provider); 2] = [("/v1", Provider::OpenAi), ("/api", Provider::Ollama)];

impl Provider {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::Ollama];

    /// Whose API a request is for, as far as that can be told.
    #[must_use]
    pub fn of(uri: &Uri, headers: &HeaderMap) -> Option<Self> {
        let path = uri.path();
        // Claude Code asks for the root to see whether anyone is there.
        let root = (path == "/").then_some(Self::Anthropic);
        // Gemini's methods stand behind a colon: `/v1/models/NAME:generateContent`.
        let method = (path.starts_with("/v1/models/") && path.contains(':')).then_some(Self::Gemini);
        let header = || HEADERS.iter().find(|(name, _)| headers.contains_key(*name)).map(|(_, it)| *it);
        method.or_else(|| find(&PATHS, path)).or_else(header).or_else(|| find(&REST, path)).or(root)
    }

    /// Its name in settings and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The public address; Ollama's is on this machine.
    #[must_use]
    pub fn address(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// The provider of the first entry that is the path, or a folder above it.
fn find(table: &[(&str, Provider)], path: &str) -> Option<Provider> {
    let above =
        |name: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    table.iter().find(|(name, _)| above(name)).map(|(_, provider)| *provider)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, header: Option<&'static str>, expected: Option<Provider>) {
        let mut headers = HeaderMap::new();
        if let Some(name) = header {
            headers.insert(name, "x".parse().unwrap());
        }
        assert_eq!(Provider::of(&path.parse().unwrap(), &headers), expected, "{path} {header:?}");
    }

    #[test]
    fn a_path_tells_whose_api_it_is() {
        check("/v1/messages?beta=true", None, Some(Provider::Anthropic));
        check("/v1/messages/count_tokens", None, Some(Provider::Anthropic));
        check("/v1/chat/completions", None, Some(Provider::OpenAi));
        check("/v1/responses", None, Some(Provider::OpenAi));
        check("/v1/models", None, Some(Provider::OpenAi));
        check("/v1beta/models/x:streamGenerateContent?alt=sse", None, Some(Provider::Gemini));
        check("/v1/models/x:generateContent", None, Some(Provider::Gemini));
        check("/api/chat", None, Some(Provider::Ollama));
        check("/api/tags", None, Some(Provider::Ollama));
        check("/", None, Some(Provider::Anthropic));
        check("/v10/x", None, None);
        check("/elsewhere", None, None);
    }

    #[test]
    fn headers_tell_where_paths_do_not() {
        check("/v1/models", Some("anthropic-version"), Some(Provider::Anthropic));
        check("/api/hello", Some("anthropic-beta"), Some(Provider::Anthropic));
        check("/v1/models", Some("x-goog-api-key"), Some(Provider::Gemini));
        check("/v1/chat/completions", Some("anthropic-version"), Some(Provider::OpenAi));
    }
}

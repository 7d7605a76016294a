//! Table: the providers, how requests to each are recognized, and how each formats errors.

use http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};

/// A provider's API.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Vendor {
    /// Anthropic's Messages API.
    Anthropic,
    /// `OpenAI`'s Chat Completions and Responses APIs, and compatible APIs.
    OpenAi,
    /// Google's Gemini API.
    Gemini,
    /// Ollama's API.
    Ollama,
    /// Models on AWS Bedrock.
    Bedrock,
    /// `OpenAI`'s models on Azure.
    Azure,
    /// Models on Google's Vertex AI.
    Vertex,
}

/// A provider's address, how its requests are recognized, and how it formats errors.
struct VendorFacts {
    provider: Vendor,
    /// The provider's name in settings and messages.
    name: &'static str,
    /// The address of the provider's servers.
    home: Home,
    /// Paths that only this provider has, whatever the headers.
    paths: &'static [&'static str],
    /// Headers that only this provider's clients send.
    headers: &'static [&'static str],
    /// Paths that other providers have too, but that usually mean this provider.
    rest: &'static [&'static str],
    /// Formats an error as this provider's clients expect it.
    error: fn(StatusCode, &str) -> Value,
}

/// The address of a provider's servers.
enum Home {
    /// One public address.
    Public(&'static str),
    /// A separate address for each region or customer, in this form.
    Own(&'static str),
}

/// All providers, in the order of the enum.
static VENDORS: [VendorFacts; 7] = [
    VendorFacts {
        provider: Vendor::Anthropic,
        name: "anthropic",
        home: Home::Public("https://api.anthropic.com"),
        paths: &["/v1/messages"],
        headers: &["anthropic-version", "anthropic-beta"],
        // Claude Code requests the root path to check that the server is reachable.
        rest: &["/"],
        error: |status, message| json!({"type": "error", "error": {"type": anthropic(status), "message": message}}),
    },
    VendorFacts {
        provider: Vendor::OpenAi,
        name: "openai",
        home: Home::Public("https://api.openai.com"),
        paths: &["/v1/chat", "/v1/responses", "/v1/completions", "/v1/embeddings"],
        headers: &[],
        rest: &["/v1"],
        error: openai_error,
    },
    VendorFacts {
        provider: Vendor::Gemini,
        name: "gemini",
        home: Home::Public("https://generativelanguage.googleapis.com"),
        paths: &["/v1beta", "/v1alpha"],
        headers: &["x-goog-api-key"],
        rest: &[],
        error: google_error,
    },
    VendorFacts {
        provider: Vendor::Ollama,
        name: "ollama",
        // Ollama runs on this machine.
        home: Home::Public("http://127.0.0.1:11434"),
        paths: &["/api/chat"],
        headers: &[],
        rest: &["/api"],
        error: |_, message| json!({"error": message}),
    },
    VendorFacts {
        provider: Vendor::Bedrock,
        name: "bedrock",
        home: Home::Own("https://bedrock-runtime.REGION.amazonaws.com"),
        paths: &["/model", "/guardrail", "/guardrail-checks", "/async-invoke"],
        headers: &[],
        rest: &[],
        error: |status, message| json!({"__type": bedrock(status), "message": message}),
    },
    VendorFacts {
        provider: Vendor::Azure,
        name: "azure",
        home: Home::Own("https://RESOURCE.openai.azure.com"),
        paths: &["/openai"],
        headers: &[],
        rest: &[],
        error: openai_error,
    },
    VendorFacts {
        provider: Vendor::Vertex,
        name: "vertex",
        home: Home::Own("https://REGION-aiplatform.googleapis.com"),
        paths: &["/v1/projects", "/v1/publishers", "/v1beta1"],
        headers: &[],
        rest: &[],
        error: google_error,
    },
];

impl Vendor {
    /// All providers, in order.
    pub const ALL: [Self; 7] =
        [Self::Anthropic, Self::OpenAi, Self::Gemini, Self::Ollama, Self::Bedrock, Self::Azure, Self::Vertex];

    /// The provider that a request is meant for, if it can be recognized.
    #[must_use]
    pub fn of(uri: &Uri, headers: &HeaderMap) -> Option<Self> {
        let path = uri.path();
        let find = |fits: &dyn Fn(&VendorFacts) -> bool| VENDORS.iter().find(|known| fits(known));
        // In Gemini's paths, a colon precedes the method: `/v1/models/NAME:generateContent`. Other model names contain
        // colons too, for example those of tuned models at OpenAI.
        let method = path.starts_with("/v1/models/")
            && path.rsplit_once(':').is_some_and(|(_, method)| GEMINI_METHODS.contains(&method));
        find(&|known| known.provider == Self::Gemini && method)
            .or_else(|| find(&|known| known.paths.iter().any(|above| is_below(above, path))))
            .or_else(|| find(&|known| known.headers.iter().any(|name| headers.contains_key(*name))))
            .or_else(|| find(&|known| known.rest.iter().any(|above| is_below(above, path))))
            .map(|known| known.provider)
    }

    /// The provider's name in settings and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The provider's public address, if it has a single one; Ollama's address is on this machine.
    #[must_use]
    pub fn address(self) -> Option<&'static str> {
        match self.facts().home {
            Home::Public(address) => Some(address),
            Home::Own(_) => None,
        }
    }

    /// A message that explains what to configure so that this provider's requests can be forwarded.
    pub(crate) fn advice(self) -> String {
        let (name, home) = (self.name(), &self.facts().home);
        let (Home::Public(example) | Home::Own(example)) = home;
        format!("set upstreams.{name} to your server, such as {example}")
    }

    /// Formats an error as this provider's clients expect it.
    pub(crate) fn error(self, status: StatusCode, message: &str) -> Value {
        (self.facts().error)(status, message)
    }

    fn facts(self) -> &'static VendorFacts {
        &VENDORS[self as usize]
    }
}

/// The methods that Gemini has for a model.
const GEMINI_METHODS: [&str; 8] = [
    "generateContent",
    "streamGenerateContent",
    "countTokens",
    "embedContent",
    "batchEmbedContents",
    "batchGenerateContent",
    "predict",
    "predictLongRunning",
];

/// True if `path` equals `above` or is below it; no path counts as below the root.
fn is_below(above: &str, path: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || above.len() > 1 && rest.starts_with('/'))
}

fn openai_error(status: StatusCode, message: &str) -> Value {
    json!({"error": {"message": message, "type": openai(status), "param": null, "code": null}})
}

fn google_error(status: StatusCode, message: &str) -> Value {
    json!({"error": {"code": status.as_u16(), "message": message, "status": gemini(status)}})
}

fn anthropic(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 => "overloaded_error",
        504 => "timeout_error",
        code if code >= 500 => "api_error",
        _ => "invalid_request_error",
    }
}

fn openai(status: StatusCode) -> &'static str {
    match status.as_u16() {
        429 => "rate_limit_error",
        code if code >= 500 => "server_error",
        _ => "invalid_request_error",
    }
}

fn gemini(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        502 | 503 => "UNAVAILABLE",
        408 | 504 => "DEADLINE_EXCEEDED",
        code if code >= 500 => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    }
}

fn bedrock(status: StatusCode) -> &'static str {
    match status.as_u16() {
        404 => "ResourceNotFoundException",
        429 => "ThrottlingException",
        503 => "ServiceUnavailableException",
        504 => "ModelTimeoutException",
        code if code >= 500 => "InternalServerException",
        _ => "ValidationException",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, header: Option<&'static str>, expected: Option<Vendor>) {
        let mut headers = HeaderMap::new();
        if let Some(name) = header {
            headers.insert(name, "x".parse().unwrap());
        }
        assert_eq!(Vendor::of(&path.parse().unwrap(), &headers), expected, "{path} {header:?}");
    }

    #[test]
    fn the_table_is_in_the_order_of_numbers() {
        assert_eq!(VENDORS.each_ref().map(|known| known.provider), Vendor::ALL);
    }

    #[test]
    fn a_path_tells_whose_api_it_is() {
        check("/v1/messages?beta=true", None, Some(Vendor::Anthropic));
        check("/v1/messages/count_tokens", None, Some(Vendor::Anthropic));
        check("/v1/chat/completions", None, Some(Vendor::OpenAi));
        check("/v1/responses", None, Some(Vendor::OpenAi));
        check("/v1/models", None, Some(Vendor::OpenAi));
        check("/v1beta/models/x:streamGenerateContent?alt=sse", None, Some(Vendor::Gemini));
        check("/v1/models/x:generateContent", None, Some(Vendor::Gemini));
        check("/v1/models/ft:gpt-4o-mini:acme::x", None, Some(Vendor::OpenAi));
        check("/api/chat", None, Some(Vendor::Ollama));
        check("/api/tags", None, Some(Vendor::Ollama));
        check("/", None, Some(Vendor::Anthropic));
        check("/model/anthropic.claude-v1%3A0/converse", None, Some(Vendor::Bedrock));
        check("/model/m/invoke-with-response-stream", Some("anthropic-version"), Some(Vendor::Bedrock));
        check("/models", None, None);
        check("/openai/deployments/d/chat/completions?api-version=1", None, Some(Vendor::Azure));
        check("/openai/v1/responses", None, Some(Vendor::Azure));
        check(
            "/v1/projects/p/locations/l/publishers/google/models/g:generateContent",
            None,
            Some(Vendor::Vertex),
        );
        check(
            "/v1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict",
            Some("anthropic-version"),
            Some(Vendor::Vertex),
        );
        check(
            "/v1beta1/publishers/google/models/g:generateContent",
            Some("x-goog-api-key"),
            Some(Vendor::Vertex),
        );
        check("/v10/x", None, None);
        check("/elsewhere", None, None);
    }

    #[test]
    fn headers_tell_where_paths_do_not() {
        check("/v1/models", Some("anthropic-version"), Some(Vendor::Anthropic));
        check("/api/hello", Some("anthropic-beta"), Some(Vendor::Anthropic));
        check("/v1/models", Some("x-goog-api-key"), Some(Vendor::Gemini));
        check("/v1/chat/completions", Some("anthropic-version"), Some(Vendor::OpenAi));
    }
}

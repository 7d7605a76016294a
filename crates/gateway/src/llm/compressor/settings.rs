//! The settings of a remote compressor: API, address, model and key.

use std::fmt;
use std::time::Duration;

use http::Uri;

use crate::error::Error;
use crate::llm::compressor::prompt::PROMPT;
use crate::upstream::Upstream;

/// The settings of a remote compressor.
#[derive(Clone)]
pub struct CompressorSettings {
    /// The format of the compressor's requests and responses.
    pub shape: CompressorShape,
    /// The compressor's server. The URL may omit the path of the API if it is the usual one.
    pub endpoint: Upstream,
    /// The compressor's key. Without a key, a model is called with the credential of the request in progress, if that
    /// request is forwarded to the same server.
    pub key: Option<String>,
    /// The model to use.
    pub model: String,
    /// The time allowed for all results of one request together.
    pub timeout: Duration,
    /// The maximum number of calls per second; 0 means unlimited.
    pub rate: usize,
}

/// The format of a compressor's requests and responses.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CompressorShape {
    /// A dedicated compression service.
    Api,
    /// The Chat Completions API.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
}

impl CompressorSettings {
    /// All settings that influence the answers, in a canonical form.
    #[must_use]
    pub fn mark(&self) -> String {
        let Self { shape, endpoint, model, .. } = self;
        format!("{shape:?} {} {model}\n{PROMPT}", endpoint.url())
    }

    /// True if the compressor is called only with the credential of a request; a refusal may then concern only that
    /// credential.
    pub(crate) fn is_lent(&self) -> bool {
        self.key.is_none() && self.shape != CompressorShape::Api
    }

    /// The URL to which requests are sent.
    pub(crate) fn address(&self) -> Result<Uri, Error> {
        let path = match self.shape {
            CompressorShape::Api => return self.endpoint.endpoint(None),
            CompressorShape::OpenAi => "/v1/chat/completions".to_owned(),
            CompressorShape::Anthropic => "/v1/messages".to_owned(),
            CompressorShape::Gemini => format!("/v1beta/models/{}:generateContent", self.model),
        };
        let end = path.rfind(['/', ':']).map_or("", |at| &path[at..]);
        if self.endpoint.url().ends_with(end) {
            return self.endpoint.endpoint(None);
        }
        let asked = path.parse().map_err(|error| {
            Error::setting("the compressor's model name cannot be part of a path").because(error)
        })?;
        self.endpoint.address(&asked)
    }
}

/// Hides the key, which is a secret.
impl fmt::Debug for CompressorSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, endpoint, key, model, timeout, rate } = self;
        let key = key.as_ref().map(|_| "(set)");
        let mut shown = f.debug_struct("CompressorSettings");
        shown.field("shape", shape).field("endpoint", endpoint).field("key", &key);
        shown.field("model", model).field("timeout", timeout).field("rate", rate).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(shape: CompressorShape, endpoint: &str) -> CompressorSettings {
        let (endpoint, key) = (endpoint.parse().unwrap(), Some("haddock".to_owned()));
        let (model, timeout) = ("m".to_owned(), Duration::from_secs(1));
        CompressorSettings { shape, endpoint, key, model, timeout, rate: 0 }
    }

    fn check(shape: CompressorShape, endpoint: &str, expected: &str) {
        let settings = settings(shape, endpoint);
        assert_eq!(settings.address().unwrap().to_string(), expected, "{endpoint}");
        assert!(!format!("{settings:?}{}", settings.mark()).contains("haddock"));
    }

    #[test]
    fn an_address_may_leave_the_usual_path_away() {
        check(CompressorShape::Api, "https://h/v1/compress/tool-output", "https://h/v1/compress/tool-output");
        for endpoint in ["http://h:1", "http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/chat/completions"] {
            check(CompressorShape::OpenAi, endpoint, "http://h:1/v1/chat/completions");
        }
        check(
            CompressorShape::OpenAi,
            "https://h/deployments/x/chat/completions",
            "https://h/deployments/x/chat/completions",
        );
        check(CompressorShape::Anthropic, "https://h", "https://h/v1/messages");
        check(CompressorShape::Gemini, "https://h", "https://h/v1beta/models/m:generateContent");
        let odd =
            CompressorSettings { model: "a b".to_owned(), ..settings(CompressorShape::Gemini, "https://h") };
        assert!(odd.address().is_err());
    }
}

//! Settings of an external compressor.

use std::time::Duration;

use tersely_engine::{Fallback, RemotePlan, Strategy};
use tersely_gateway::{CompressorSettings, CompressorShape, Upstream, Upstreams, Vendor};

/// Values of the strategy setting.
pub(crate) const STRATEGIES: &[&str] = &["stages", SIMPLE, API, EXTERNAL];

/// Fallbacks for a result that the compressor cannot shorten.
pub(crate) const FALLBACKS: &[&str] = &["passthrough", SIMPLE];

/// The providers whose API can be used to ask a model. An empty value means the API of the endpoint, which is assumed
/// to be like `OpenAI`'s.
pub(crate) const PROVIDERS: &[&str] = &["", "openai", "anthropic", "gemini"];

pub(crate) const SIMPLE: &str = "simple";
pub(crate) const API: &str = "api";
pub(crate) const EXTERNAL: &str = "external_provider";

/// These settings while they are being read; empty strings are unset.
#[derive(Clone)]
pub(crate) struct RemoteSettings {
    pub strategy: &'static str,
    pub fallback: &'static str,
    pub provider: &'static str,
    pub endpoint: String,
    pub key: String,
    pub model: String,
    pub timeout: Duration,
    pub rate: usize,
    pub query_agnostic: bool,
}

impl Default for RemoteSettings {
    fn default() -> Self {
        let (endpoint, key, model) = <(String, String, String)>::default();
        let timeout = Duration::from_secs(30);
        let [strategy, fallback, provider] = [STRATEGIES[0], FALLBACKS[0], PROVIDERS[0]];
        Self { strategy, fallback, provider, endpoint, key, model, timeout, rate: 20, query_agnostic: false }
    }
}

impl RemoteSettings {
    /// True when results are sent to another server.
    pub(crate) fn is_remote(&self) -> bool {
        [API, EXTERNAL].contains(&self.strategy)
    }

    /// The key that is missing, if one is.
    pub(crate) fn missing(&self) -> Option<&'static str> {
        match self.strategy {
            API if self.endpoint.is_empty() => Some("remote.endpoint"),
            EXTERNAL if self.model.is_empty() => Some("remote.model"),
            EXTERNAL if self.endpoint.is_empty() && self.provider.is_empty() => Some("remote.provider"),
            _ => None,
        }
    }

    /// The configured compressor, at its own endpoint or at the upstream of its provider.
    pub(crate) fn compressor(&self, upstreams: &Upstreams) -> Option<CompressorSettings> {
        if !self.is_remote() {
            return None;
        }
        let (shape, vendor) = match (self.strategy, self.provider) {
            (API, _) => (CompressorShape::Api, None),
            (_, "anthropic") => (CompressorShape::Anthropic, Some(Vendor::Anthropic)),
            (_, "gemini") => (CompressorShape::Gemini, Some(Vendor::Gemini)),
            _ => (CompressorShape::OpenAi, Some(Vendor::OpenAi)),
        };
        let own = self.endpoint.parse::<Upstream>().ok();
        let endpoint = own.or_else(|| vendor.and_then(|vendor| upstreams.of(vendor)).cloned())?;
        let key = (!self.key.is_empty()).then(|| self.key.clone());
        let (model, timeout, rate) = (self.model.clone(), self.timeout, self.rate);
        Some(CompressorSettings { shape, endpoint, key, model, timeout, rate })
    }

    /// The strategy for leaving details out.
    pub(crate) fn strategy(&self, compressor: Option<&CompressorSettings>) -> Strategy {
        let Some(compressor) = compressor else {
            return if self.strategy == SIMPLE { Strategy::Simple } else { Strategy::Stages };
        };
        Strategy::Remote(RemotePlan {
            stage: self.strategy,
            mark: compressor.mark(),
            tells_question: !self.query_agnostic,
            fallback: if self.fallback == SIMPLE { Fallback::Simple } else { Fallback::Whole },
        })
    }
}

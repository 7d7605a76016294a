//! What the conventions for generative AI call a request to a model.

use crate::event::{RequestEnd, RequestEvent};
use crate::otel::message::Attribute;

/// Our names of providers, and the conventions'; one that is not here has the same.
const PROVIDERS: [(&str, &str); 4] = [
    ("azure", "azure.ai.openai"),
    ("bedrock", "aws.bedrock"),
    ("gemini", "gcp.gemini"),
    ("vertex", "gcp.vertex_ai"),
];

/// A request to a model.
pub(crate) struct ModelCall {
    /// What it asks for.
    pub(crate) operation: &'static str,
    provider: &'static str,
    model: String,
}

impl ModelCall {
    /// The call that a request is, if it names a model.
    pub(crate) fn of(event: &RequestEvent) -> Option<Self> {
        let (ours, model) = (event.provider?, event.model.as_ref()?);
        let provider = PROVIDERS.iter().find(|(name, _)| *name == ours).map_or(ours, |(_, theirs)| theirs);
        let operation = if ours == "gemini" { "generate_content" } else { "chat" };
        Some(Self { operation, provider, model: model.as_str().to_owned() })
    }

    /// The same, of no model that can be told: there are as many names as clients think of.
    pub(crate) fn of_any_model(self) -> Self {
        Self { model: "other".to_owned(), ..self }
    }

    /// What spans and metrics say of it.
    pub(crate) fn attributes(&self) -> [Attribute; 3] {
        [
            Attribute::text("gen_ai.operation.name", self.operation),
            Attribute::text("gen_ai.provider.name", self.provider),
            Attribute::text("gen_ai.request.model", self.model.as_str()),
        ]
    }
}

/// Why a request failed, if it did: whose fault it was, or the status that it was told. A client that left did not fail.
pub(crate) fn error_type(event: &RequestEvent) -> Option<String> {
    match event.end {
        RequestEnd::Upstream | RequestEnd::Us => Some(event.end.name().to_owned()),
        _ if event.status >= 400 => Some(event.status.to_string()),
        _ => None,
    }
}

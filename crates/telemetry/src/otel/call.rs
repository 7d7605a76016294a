//! Describes a model request by the OpenTelemetry conventions for generative AI.

use crate::event::{RequestEnd, RequestEvent};
use crate::otel::message::Attribute;

/// Our provider names and the conventions' names; a provider not listed here has the same name in both.
const PROVIDERS: [(&str, &str); 4] = [
    ("azure", "azure.ai.openai"),
    ("bedrock", "aws.bedrock"),
    ("gemini", "gcp.gemini"),
    ("vertex", "gcp.vertex_ai"),
];

/// A request to a model.
pub(crate) struct ModelCall {
    /// The operation.
    pub(crate) operation: &'static str,
    provider: &'static str,
    model: String,
}

impl ModelCall {
    /// The model call of a request; `None` if the request names no model.
    pub(crate) fn of(event: &RequestEvent) -> Option<Self> {
        let (ours, model) = (event.provider?, event.model.as_ref()?);
        let provider = PROVIDERS.iter().find(|(name, _)| *name == ours).map_or(ours, |(_, theirs)| theirs);
        let operation = if ours == "gemini" { "generate_content" } else { "chat" };
        Some(Self { operation, provider, model: model.as_str().to_owned() })
    }

    /// The same call without the model's name, because clients can invent any number of names.
    pub(crate) fn of_any_model(self) -> Self {
        Self { model: "other".to_owned(), ..self }
    }

    /// The attributes that spans and metrics share.
    pub(crate) fn attributes(&self) -> [Attribute; 3] {
        [
            Attribute::text("gen_ai.operation.name", self.operation),
            Attribute::text("gen_ai.provider.name", self.provider),
            Attribute::text("gen_ai.request.model", self.model.as_str()),
        ]
    }
}

/// Why a request failed: the side at fault, or the response status. A client that disconnects is not a failure.
pub(crate) fn error_type(event: &RequestEvent) -> Option<String> {
    match event.end {
        RequestEnd::Upstream | RequestEnd::Us => Some(event.end.name().to_owned()),
        _ if event.status >= 400 => Some(event.status.to_string()),
        _ => None,
    }
}

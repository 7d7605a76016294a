//! Chooses the provider of a request body, by name or by the tool results in the body.

use clap::builder::PossibleValuesParser;
use tersely_wire::{PROVIDERS, Provider, guess_provider};

/// The name of a provider with two APIs; the body shows which one is meant.
pub(crate) const OPENAI: &str = "openai";

/// The accepted provider names.
pub(crate) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(PROVIDERS.map(Provider::name).into_iter().chain([OPENAI]))
}

/// The provider with this name or, without a name, the provider whose tool results are in the body.
pub(crate) fn of(name: Option<&str>, body: &[u8]) -> Option<&'static Provider> {
    match name {
        Some(name) => {
            let name = if name == OPENAI { of_openai(body) } else { name };
            PROVIDERS.into_iter().find(|provider| provider.name() == name)
        }
        None => guess_provider(body),
    }
}

/// The API of an `OpenAI` body: a Responses body has `input`, a Chat Completions body has `messages`.
fn of_openai(body: &[u8]) -> &'static str {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    if body.get("input").is_some() && body.get("messages").is_none() { "responses" } else { "chat" }
}

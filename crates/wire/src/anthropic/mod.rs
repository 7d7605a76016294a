//! Speaks Anthropic's Messages: claims their paths, and hands their bodies to the rooms beside it.

mod blocks;
mod events;
mod offer;
mod request;
mod whole;
mod words;

use crate::error::WireError;
use crate::hidden::hides::Hides;
use crate::prompt::Prompt;
use crate::provider::Provider;
use crate::schema::Description;
use crate::slot::Slot;

pub(crate) struct Anthropic;

impl Provider for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn claims(&self, path: &str) -> bool {
        let path = path.strip_suffix("/count_tokens").unwrap_or(path);
        let raw = path.ends_with(":rawPredict") || path.ends_with(":streamRawPredict");
        path.ends_with("/v1/messages")
            || ["/messages", "/anthropic/messages"].contains(&path)
            || (raw && path.contains("/publishers/anthropic/"))
    }

    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError> {
        request::slots(body)
    }

    fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<Description<'a>>, WireError> {
        request::descriptions(body)
    }

    fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<Prompt<'a>>, WireError> {
        request::prompts(body)
    }

    fn drops_results(&self, body: &[u8]) -> bool {
        request::drops_results(body)
    }

    fn hides(&self, _target: &str) -> Option<&'static dyn Hides> {
        Some(&offer::AnthropicOffer)
    }
}

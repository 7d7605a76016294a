//! Speaks Chat Completions: claims their paths, and hands their bodies to the rooms beside it.

mod bridge;
mod calls;
mod chunk;
mod events;
mod held;
mod merge;
mod offer;
pub(crate) mod request;
mod turn;
mod whole;
pub(crate) mod words;

use crate::bridge::bridges::BridgesTools;
use crate::error::WireError;
use crate::hidden::hides::HidesTool;
use crate::provider::Provider;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

pub(crate) struct ChatCompletions;

impl Provider for ChatCompletions {
    fn name(&self) -> &'static str {
        "chat"
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/chat/completions")
    }

    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError> {
        request::slots(body)
    }

    fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<ToolDescription<'a>>, WireError> {
        request::descriptions(body)
    }

    fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<UserPrompt<'a>>, WireError> {
        request::prompts(body)
    }

    fn head(&self, body: &[u8]) -> RequestHead {
        request::head(body)
    }

    fn counts(&self) -> Option<&'static UsageWords> {
        Some(&words::COUNTS)
    }

    fn spoken(&self, body: &[u8]) -> usize {
        request::spoken(body)
    }

    fn drops_results(&self, body: &[u8]) -> bool {
        request::drops_results(body)
    }

    fn hides(&self, _target: &str) -> Option<&'static dyn HidesTool> {
        Some(&offer::ChatOffer)
    }

    fn bridges(&self) -> Option<&'static dyn BridgesTools> {
        Some(&bridge::ChatBridge)
    }
}

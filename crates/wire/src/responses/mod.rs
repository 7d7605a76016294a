//! Speaks the Responses API: claims its paths, and hands its bodies to the rooms beside it.

mod bridge;
mod event;
mod events;
mod object;
mod offer;
mod request;
mod response_state;
mod turn;
mod whole;
mod words;

use crate::bridge::bridges::BridgesTools;
use crate::error::WireError;
use crate::hidden::hides::HidesTool;
use crate::provider::Provider;
use crate::request::history::HistoryPlace;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

pub(crate) struct ResponsesApi;

impl Provider for ResponsesApi {
    fn name(&self) -> &'static str {
        "responses"
    }

    fn claims(&self, path: &str) -> bool {
        ["/responses", "/responses/compact", "/responses/input_tokens"].iter().any(|end| path.ends_with(end))
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

    fn history(&self, body: &[u8]) -> HistoryPlace {
        request::history(body)
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

    fn hides(&self, target: &str) -> Option<&'static dyn HidesTool> {
        let path = target.split('?').next().unwrap_or_default();
        (!path.trim_end_matches('/').ends_with("/compact")).then_some(&offer::ResponsesOffer)
    }

    fn bridges(&self) -> Option<&'static dyn BridgesTools> {
        Some(&bridge::ResponsesBridge)
    }
}

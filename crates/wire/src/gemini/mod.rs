//! Speaks Gemini's API: claims its paths, and hands its bodies to the rooms beside it.

mod chunk;
mod events;
mod offer;
mod request;
mod turn;
mod whole;
mod words;

use crate::error::WireError;
use crate::hidden::hides::HidesTool;
use crate::provider::Provider;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

pub(crate) struct GeminiContents;

impl Provider for GeminiContents {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn claims(&self, path: &str) -> bool {
        let method = path.rsplit('/').next().and_then(|end| end.split_once(':'));
        method.is_some_and(|(_, method)| METHODS.contains(&method))
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

    fn hides(&self, target: &str) -> Option<&'static dyn HidesTool> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let is_stream = path.trim_end_matches('/').ends_with(":streamGenerateContent");
        // Without this a stream is one list of JSON, written bit by bit.
        let has_events = query.split('&').any(|pair| ["alt=sse", "$alt=sse", "%24alt=sse"].contains(&pair));
        (!is_stream || has_events).then_some(&offer::GeminiOffer)
    }
}

const METHODS: [&str; 3] = ["generateContent", "streamGenerateContent", "countTokens"];

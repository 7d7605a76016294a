//! Speaks Bedrock's Converse: claims its paths, and hands its bodies to the rooms beside it.

mod events;
mod offer;
mod request;
mod turn;
mod whole;
mod words;

use crate::anthropic;
use crate::error::WireError;
use crate::hidden::hides::HidesTool;
use crate::provider::Provider;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

pub(crate) struct BedrockConverse;

impl Provider for BedrockConverse {
    fn name(&self) -> &'static str {
        "converse"
    }

    fn claims(&self, path: &str) -> bool {
        path.contains("/model/") && METHODS.iter().any(|method| path.ends_with(method))
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
        anthropic::request::spoken(body)
    }

    fn hides(&self, _target: &str) -> Option<&'static dyn HidesTool> {
        Some(&offer::ConverseOffer)
    }
}

const METHODS: [&str; 2] = ["/converse", "/converse-stream"];

//! Speaks Bedrock's `InvokeModel` where it carries Anthropic's Messages: claims its paths, and hands such bodies to
//! Anthropic's rooms. The path does not say whose shape a body has, so the body has to.

mod offer;
mod request;

use crate::anthropic;
use crate::error::WireError;
use crate::hidden::hides::HidesTool;
use crate::provider::Provider;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

pub(crate) struct BedrockInvoke;

impl Provider for BedrockInvoke {
    fn name(&self) -> &'static str {
        "invoke"
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
        anthropic::request::head(body)
    }

    fn counts(&self) -> Option<&'static UsageWords> {
        Some(&anthropic::words::COUNTS)
    }

    fn spoken(&self, body: &[u8]) -> usize {
        anthropic::request::spoken(body)
    }

    fn drops_results(&self, body: &[u8]) -> bool {
        request::drops_results(body)
    }

    fn hides(&self, _target: &str) -> Option<&'static dyn HidesTool> {
        Some(&offer::InvokeOffer)
    }
}

const METHODS: [&str; 2] = ["/invoke", "/invoke-with-response-stream"];

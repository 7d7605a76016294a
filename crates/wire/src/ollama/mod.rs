//! Speaks Ollama's chat: claims its path, and hands its bodies to the room beside it.

mod request;
mod words;

use crate::error::WireError;
use crate::provider::Provider;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

pub(crate) struct OllamaChat;

impl Provider for OllamaChat {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/api/chat")
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

    fn counts(&self) -> Option<&'static UsageWords> {
        Some(&words::COUNTS)
    }

    fn spoken(&self, body: &[u8]) -> usize {
        request::spoken(body)
    }

    fn drops_results(&self, body: &[u8]) -> bool {
        request::drops_results(body)
    }
}

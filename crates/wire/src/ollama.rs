//! Finds places in Ollama's chat: the messages of Chat Completions, with arguments as objects and results that name
//! their tool.

use crate::slot::find;
use crate::{Description, Prompt, Provider, Slot, WireError, chat, drops, prompt, schema};

pub(crate) struct Ollama;

impl Provider for Ollama {
    fn name(&self) -> &'static str {
        "ollama"
    }

    fn claims(&self, path: &str) -> bool {
        path.ends_with("/api/chat")
    }

    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError> {
        find(body, chat::request)
    }

    fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<Description<'a>>, WireError> {
        schema::find(body, chat::tools)
    }

    fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<Prompt<'a>>, WireError> {
        prompt::find(body, chat::prompts)
    }

    /// It leaves the oldest messages out where they do not fit, unless it is told not to.
    fn drops_results(&self, body: &[u8]) -> bool {
        drops::member("truncate", body).is_none_or(|how| how != false)
    }
}

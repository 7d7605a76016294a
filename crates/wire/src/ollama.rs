//! Finds results in Ollama's chat: the messages of Chat Completions, with arguments as objects and results that name
//! their tool.

use crate::slot::find;
use crate::{Provider, Slot, WireError, chat};

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
}

//! Describes one API as data: the paths it serves, and where its bodies contain results, prompts and tools.

use tersely_json::JsonError;

use crate::bridge::bridging::ToolBridging;
use crate::hidden::hiding::ToolHiding;
use crate::request::history::HistoryPlace;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

/// The description of one API: a row in the table of providers.
pub struct Provider {
    pub(crate) name: &'static str,
    pub(crate) claims: fn(&str) -> bool,
    pub(crate) slots: for<'a> fn(&'a [u8]) -> Result<Vec<Slot<'a>>, JsonError>,
    pub(crate) descriptions: for<'a> fn(&'a [u8]) -> Result<Vec<ToolDescription<'a>>, JsonError>,
    pub(crate) prompts: for<'a> fn(&'a [u8]) -> Result<Vec<UserPrompt<'a>>, JsonError>,
    pub(crate) head: fn(&[u8]) -> RequestHead,
    pub(crate) last_assistant_end: fn(&[u8]) -> usize,
    pub(crate) history: fn(&[u8]) -> HistoryPlace,
    pub(crate) drops_results: fn(&[u8]) -> bool,
    pub(crate) counts: &'static UsageWords,
    pub(crate) hides: fn(&str) -> Option<&'static ToolHiding>,
    pub(crate) bridges: Option<&'static ToolBridging>,
}

impl Provider {
    /// The provider's name in settings and records.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// True when a request to `path`, without its query, has a body in this API's format.
    #[must_use]
    pub fn claims(&self, path: &str) -> bool {
        (self.claims)(path)
    }

    /// Every text of every tool result in `body`, in order.
    ///
    /// # Errors
    /// Fails if the body is not JSON that all parsers read the same way; such a body must be forwarded unchanged.
    pub fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, JsonError> {
        (self.slots)(body)
    }

    /// Every description in `body`, in order: the descriptions of tools, and those in their schemas.
    ///
    /// # Errors
    /// As with [`Self::slots`].
    pub fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<ToolDescription<'a>>, JsonError> {
        (self.descriptions)(body)
    }

    /// Every text of every user message in `body`, in order.
    ///
    /// # Errors
    /// As with [`Self::slots`].
    pub fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<UserPrompt<'a>>, JsonError> {
        (self.prompts)(body)
    }

    /// The size of the tools and the system prompt, which the model reads before the conversation. They are the same
    /// in all requests of a conversation; if they change, the provider's prompt cache starts over anyway.
    #[must_use]
    pub fn head(&self, body: &[u8]) -> RequestHead {
        (self.head)(body)
    }

    /// The position where the model's last message ends; the model has not seen anything after it. For a body that
    /// cannot be read, this is the length of the body.
    #[must_use]
    pub fn last_assistant_end(&self, body: &[u8]) -> usize {
        (self.last_assistant_end)(body)
    }

    /// Where the rest of the conversation is stored.
    #[must_use]
    pub fn history(&self, body: &[u8]) -> HistoryPlace {
        (self.history)(body)
    }

    /// True when `body` allows the provider to omit results from the model's input.
    #[must_use]
    pub fn drops_results(&self, body: &[u8]) -> bool {
        (self.drops_results)(body)
    }

    /// Describes the token counts in the provider's responses.
    #[must_use]
    pub fn counts(&self) -> &'static UsageWords {
        self.counts
    }

    /// The functions that hide a tool in requests to `target`, a path with its query, and in their responses; `None`
    /// if this is impossible.
    #[must_use]
    pub fn hides(&self, target: &str) -> Option<&'static ToolHiding> {
        (self.hides)(target)
    }

    /// The functions that let models call tools that are missing from their list; `None` if this API does not support
    /// it.
    #[must_use]
    pub fn bridges(&self) -> Option<&'static ToolBridging> {
        self.bridges
    }
}

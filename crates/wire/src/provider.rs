//! Describes one API as data: which paths it answers, and where its bodies hold results, prompts and tools.

use tersely_json::JsonError;

use crate::bridge::bridging::ToolBridging;
use crate::hidden::hiding::ToolHiding;
use crate::request::history::HistoryPlace;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

/// An API's shape: a row of the table of providers.
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
    /// Its name in settings and records.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// True when a request to `path`, without its query, has a body of this shape.
    #[must_use]
    pub fn claims(&self, path: &str) -> bool {
        (self.claims)(path)
    }

    /// Every text of every tool result in `body`, in order.
    ///
    /// # Errors
    /// When the body is not JSON that all readers agree on; forward it unchanged.
    pub fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, JsonError> {
        (self.slots)(body)
    }

    /// Every description in `body`, of tools and of the parts of their schemas, in order.
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

    /// The size of the tools and the system prompt, which the model reads before the conversation. They are the same in
    /// all requests of a conversation; if they change, the provider's prompt cache starts over anyway.
    #[must_use]
    pub fn head(&self, body: &[u8]) -> RequestHead {
        (self.head)(body)
    }

    /// Where the model's last message ends: the model has not seen anything after it. The length of a body that cannot
    /// be read.
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

    /// What its responses call their token counts.
    #[must_use]
    pub fn counts(&self) -> &'static UsageWords {
        self.counts
    }

    /// How to hide a tool in requests to `target`, a path with its query, and in their responses; `None` where that is
    /// impossible.
    #[must_use]
    pub fn hides(&self, target: &str) -> Option<&'static ToolHiding> {
        (self.hides)(target)
    }

    /// How models call tools that are missing from their list; `None` where they cannot.
    #[must_use]
    pub fn bridges(&self) -> Option<&'static ToolBridging> {
        self.bridges
    }
}

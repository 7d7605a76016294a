//! Describes one API as data: the paths it serves, and where its bodies contain results, prompts and tools.

use tersely_json::JsonError;

use crate::bridge::bridging::ToolBridging;
use crate::hidden::hiding::ToolHiding;
use crate::request::reading::{Reading, RequestShape};
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

/// The description of one API: a row in the table of providers.
pub struct Provider {
    pub(crate) name: &'static str,
    pub(crate) claims: fn(&str) -> bool,
    pub(crate) shape: RequestShape,
    pub(crate) descriptions: for<'a> fn(&'a [u8]) -> Result<Vec<ToolDescription<'a>>, JsonError>,
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

    /// Reads a body in one pass.
    #[must_use]
    pub fn read<'a>(&'static self, body: &'a [u8]) -> Reading<'a> {
        Reading::of(&self.shape, body)
    }

    /// Every text of every tool result in `body`, in order.
    ///
    /// # Errors
    /// Fails if the body is not JSON that all parsers read the same way; such a body must be forwarded unchanged.
    pub fn slots<'a>(&'static self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, JsonError> {
        self.read(body).into_slots()
    }

    /// Every description in `body`, in order: the descriptions of tools, and those in their schemas.
    ///
    /// # Errors
    /// As with [`Self::slots`].
    pub fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<ToolDescription<'a>>, JsonError> {
        (self.descriptions)(body)
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

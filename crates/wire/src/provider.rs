//! The shapes of request bodies that tool results are found in.

use crate::bridge::bridges::BridgesTools;
use crate::error::WireError;
use crate::hidden::hides::HidesTool;
use crate::request::history::HistoryPlace;
use crate::request::preamble::RequestHead;
use crate::request::prompt::UserPrompt;
use crate::request::schema::ToolDescription;
use crate::request::slot::Slot;
use crate::usage::UsageWords;

/// An API's shape.
pub trait Provider: Sync {
    /// Its name in settings and records.
    fn name(&self) -> &'static str;

    /// True when a request to `path`, without its query, has a body of this shape.
    fn claims(&self, path: &str) -> bool;

    /// Every text of every tool result in `body`, in order.
    ///
    /// # Errors
    /// When the body is not JSON that everyone reads alike; it should go on as it is.
    fn slots<'a>(&self, body: &'a [u8]) -> Result<Vec<Slot<'a>>, WireError>;

    /// Every description of a tool in `body` and of the parts of its schemas, in order.
    ///
    /// # Errors
    /// As with slots.
    fn descriptions<'a>(&self, body: &'a [u8]) -> Result<Vec<ToolDescription<'a>>, WireError>;

    /// Every text of every message of a user in `body`, in order.
    ///
    /// # Errors
    /// As with slots.
    fn prompts<'a>(&self, body: &'a [u8]) -> Result<Vec<UserPrompt<'a>>, WireError>;

    /// Where the last thing ends that the model said in `body`: what stands behind it, the model has not seen. The whole
    /// body counts as seen where that cannot be told.
    fn spoken(&self, body: &[u8]) -> usize {
        body.len()
    }

    /// What of `body` a model reads before the conversation: its tools and its system prompt. All requests of a
    /// conversation have the same head, or else the provider has to read them anew anyway.
    fn head(&self, _body: &[u8]) -> RequestHead {
        RequestHead::default()
    }

    /// Where the rest of the conversation is that `body` belongs to.
    fn history(&self, _body: &[u8]) -> HistoryPlace {
        HistoryPlace::Here
    }

    /// True when `body` lets the provider leave results out of what the model reads.
    fn drops_results(&self, _body: &[u8]) -> bool {
        false
    }

    /// What its answers call the tokens that were counted; `None` where they do not say.
    fn counts(&self) -> Option<&'static UsageWords> {
        None
    }

    /// How a tool is hidden in requests to `target`, a path with its query, and in their responses; `None` where it
    /// cannot be.
    fn hides(&self, _target: &str) -> Option<&'static dyn HidesTool> {
        None
    }

    /// How tools are called that its models are not shown; `None` where they cannot be.
    fn bridges(&self) -> Option<&'static dyn BridgesTools> {
        None
    }
}

//! Describes how one API omits tools from requests and still lets the model call them.

use crate::bridge::catalogue::{ToolCatalogue, ToolNames};
use crate::bridge::watch::CallBridge;
use crate::hidden::watch::{ResponseFraming, ResponseWatch};

/// An API's functions for calling tools through another tool.
pub struct ToolBridging {
    pub(crate) catalogue: for<'a> fn(&'a [u8]) -> Option<ToolCatalogue<'a>>,
    pub(crate) narrow: fn(&ToolNames, &str, &[u8]) -> Option<Vec<u8>>,
    pub(crate) bridge: fn(CallBridge, ResponseFraming, Box<dyn ResponseWatch>) -> Box<dyn ResponseWatch>,
}

impl ToolBridging {
    /// The tools of a request, and how its conversation begins; `None` where the choice of tools is already made: the
    /// client requires certain ones, or lets the provider search.
    #[must_use]
    pub fn catalogue<'a>(&self, body: &'a [u8]) -> Option<ToolCatalogue<'a>> {
        (self.catalogue)(body)
    }

    /// The body without the tools `unlisted`, and with its calls of those as calls of `call`; `None` when it cannot be
    /// read.
    #[must_use]
    pub fn narrow(&self, unlisted: &ToolNames, call: &str, body: &[u8]) -> Option<Vec<u8>> {
        (self.narrow)(unlisted, call, body)
    }

    /// A watch that turns calls in a response back into the client's own calls, and passes the response to `watch`.
    #[must_use]
    pub fn bridge(
        &self,
        calls: CallBridge,
        framing: ResponseFraming,
        watch: Box<dyn ResponseWatch>,
    ) -> Box<dyn ResponseWatch> {
        (self.bridge)(calls, framing, watch)
    }
}

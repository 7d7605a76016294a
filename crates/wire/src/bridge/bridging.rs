//! Describes how one API leaves tools out of requests and still lets the model call them.

use crate::bridge::catalogue::{ToolCatalogue, ToolNames};
use crate::bridge::watch::CallBridge;
use crate::hidden::watch::{ResponseFraming, ResponseWatch};

/// The functions of one API for calling tools through another tool.
pub struct ToolBridging {
    pub(crate) catalogue: for<'a> fn(&'a [u8]) -> Option<ToolCatalogue<'a>>,
    pub(crate) narrow: fn(&ToolNames, &str, &[u8]) -> Option<Vec<u8>>,
    pub(crate) bridge: fn(CallBridge, ResponseFraming, Box<dyn ResponseWatch>) -> Box<dyn ResponseWatch>,
}

impl ToolBridging {
    /// The tools of a request, and the text that opens its conversation. `None` when the tools must not change,
    /// because the client requires certain tools or lets the provider search for tools.
    #[must_use]
    pub fn catalogue<'a>(&self, body: &'a [u8]) -> Option<ToolCatalogue<'a>> {
        (self.catalogue)(body)
    }

    /// Removes the tools `unlisted` from the body, and rewrites earlier calls of these tools as calls of `call`.
    /// `None` when the body cannot be read.
    #[must_use]
    pub fn narrow(&self, unlisted: &ToolNames, call: &str, body: &[u8]) -> Option<Vec<u8>> {
        (self.narrow)(unlisted, call, body)
    }

    /// Creates a watch that rewrites the calls in a response as the client's own calls, and passes the response to
    /// `watch`.
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

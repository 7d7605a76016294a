//! Where tools can be left out of requests and be called all the same.

use crate::bridge::catalogue::{ToolCatalogue, ToolNames};
use crate::bridge::watch::CallBridge;
use crate::hidden::watch::{ResponseFraming, ResponseWatch};

/// A shape of requests and responses in which tools can be called by way of another.
pub trait BridgesTools: Sync {
    /// The tools of a request, and how its conversation begins; `None` where the choice among them is made already: the
    /// client asks for certain ones, or lets the provider search.
    fn catalogue<'a>(&self, body: &'a [u8]) -> Option<ToolCatalogue<'a>>;

    /// The body without the tools `unlisted`, and its calls of those as calls of `call`; `None` when it cannot be read.
    fn narrow(&self, unlisted: &ToolNames, call: &str, body: &[u8]) -> Option<Vec<u8>>;

    /// A watch over a response that shows calls as the client knows them to `watch`, which does the rest.
    fn bridge(
        &self,
        calls: CallBridge,
        framing: ResponseFraming,
        watch: Box<dyn ResponseWatch>,
    ) -> Box<dyn ResponseWatch>;
}

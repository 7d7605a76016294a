//! Tools that a client has and its model does not see: removed from requests, and called through another tool.
//!
//! The client sees only calls of its own tools; the model sees only calls of the bridging tool. How a request changes
//! depends on that request alone.

pub(crate) mod bridging;
pub(crate) mod call;
pub(crate) mod catalogue;
pub(crate) mod watch;

pub use bridging::ToolBridging;
pub use catalogue::{ListedTool, ToolCatalogue, ToolNames};
pub use watch::CallBridge;

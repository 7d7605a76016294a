//! Tools that a client has and its model is not shown: left out of requests, and called by way of another tool.
//!
//! The client sees calls of its own tools and nothing else; the model sees calls of the other tool and nothing else. What
//! is done to a request depends on that request alone.

pub(crate) mod bridging;
pub(crate) mod call;
pub(crate) mod catalogue;
pub(crate) mod watch;

pub use bridging::ToolBridging;
pub use catalogue::{ListedTool, ToolCatalogue, ToolNames};
pub use watch::CallBridge;

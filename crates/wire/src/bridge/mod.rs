//! Tools that a client has but its model does not see: they are removed from requests and called through another
//! tool.
//!
//! The client sees only calls of its own tools; the model sees only calls of the bridging tool. The changes to a
//! request depend on that request alone.

pub(crate) mod bridging;
pub(crate) mod call;
pub(crate) mod catalogue;
pub(crate) mod watch;

pub use bridging::ToolBridging;
pub use catalogue::{ListedTool, ToolCatalogue, ToolNames};
pub use watch::CallBridge;

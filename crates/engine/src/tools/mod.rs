//! The tools that we add to a request: retrieval of omitted text, and tool discovery.

pub(crate) mod discovery;
pub(crate) mod retrieval;

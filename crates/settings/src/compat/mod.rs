//! Configuration files of other gateways, read as our own settings.

pub(crate) mod context_gateway;
pub(crate) mod remote;
pub(crate) mod tool_discovery;

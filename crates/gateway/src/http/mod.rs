//! HTTP transport: connections, bodies, codings and limits. It is independent of models and tools.

pub(crate) mod client;
pub(crate) mod connect;
pub(crate) mod connection_activity;
pub(crate) mod connection_slots;
pub(crate) mod content_encoding;
pub(crate) mod decompress;
pub(crate) mod file_limit;
pub(crate) mod handshake;
pub(crate) mod hop_by_hop;
pub(crate) mod idle_timeout;
pub(crate) mod limit_headers;
pub(crate) mod memory_budget;
pub(crate) mod post;
pub(crate) mod probe;
pub(crate) mod request_body;
pub(crate) mod request_slots;
pub(crate) mod response;
pub(crate) mod response_body;
pub(crate) mod root_certificates;
pub(crate) mod signature;
pub(crate) mod trace_context;
pub(crate) mod upgrade;
pub(crate) mod usage_tap;
pub(crate) mod user_agent;

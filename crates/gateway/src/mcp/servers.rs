//! The configured MCP servers, by name.

use std::collections::BTreeMap;

use http::HeaderMap;

use crate::upstream::Upstream;

/// The servers by name, each at `/mcp/NAME`.
pub type McpServers = BTreeMap<String, McpServer>;

/// A server, and how to reach it.
#[derive(Clone, Debug)]
pub enum McpServer {
    /// A server that listens on HTTP.
    Remote(ListeningServer),
    /// A server that is started for each session, and speaks over its standard input and output.
    Started(StartedServer),
}

/// A server that listens on HTTP.
#[derive(Clone, Debug)]
pub struct ListeningServer {
    /// Its address.
    pub upstream: Upstream,
    /// The query of its address, used if the client's request has none.
    pub query: Option<String>,
    /// Headers sent with every request; they replace the client's.
    pub headers: HeaderMap,
}

/// A server that is started.
#[derive(Clone, Debug)]
pub struct StartedServer {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Additional environment variables.
    pub env: BTreeMap<String, String>,
}

//! The configured MCP servers, by name.

use std::collections::BTreeMap;

use http::HeaderMap;

use crate::upstream::Upstream;

/// The servers by name; each is served at `/mcp/NAME`.
pub type McpServers = BTreeMap<String, McpServer>;

/// A server, and how to reach it.
#[derive(Clone, Debug)]
pub enum McpServer {
    /// A server that listens on HTTP.
    Remote(ListeningServer),
    /// A server that is started for each session, and communicates over its standard input and output.
    Started(StartedServer),
}

/// A server that listens on HTTP.
#[derive(Clone, Debug)]
pub struct ListeningServer {
    /// The server's address.
    pub upstream: Upstream,
    /// The query of the server's address, used if the client's request has no query.
    pub query: Option<String>,
    /// Headers to send with every request; they replace the client's headers of the same name.
    pub headers: HeaderMap,
}

/// A server that is started as a process.
#[derive(Clone, Debug)]
pub struct StartedServer {
    /// The program to start.
    pub program: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Additional environment variables.
    pub env: BTreeMap<String, String>,
}

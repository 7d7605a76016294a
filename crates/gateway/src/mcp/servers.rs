//! The servers behind one address, each under a name of its own.

use std::collections::BTreeMap;

use http::HeaderMap;

use crate::upstream::Upstream;

/// The servers, by name: `/mcp/NAME` leads to each.
pub type McpServers = BTreeMap<String, McpServer>;

/// A server, and how to reach it.
#[derive(Clone, Debug)]
pub enum McpServer {
    /// It listens somewhere.
    Remote(ListeningServer),
    /// It is started for each session, and speaks over its input and output.
    Started(StartedServer),
}

/// A server that listens.
#[derive(Clone, Debug)]
pub struct ListeningServer {
    /// Where.
    pub upstream: Upstream,
    /// What its address has after a question mark, where a client's has nothing.
    pub query: Option<String>,
    /// Headers that it gets with every request, whatever the client sends under the same names.
    pub headers: HeaderMap,
}

/// A server that is started.
#[derive(Clone, Debug)]
pub struct StartedServer {
    /// The program.
    pub program: String,
    /// What it is told.
    pub args: Vec<String>,
    /// What its environment has beside ours.
    pub env: BTreeMap<String, String>,
}

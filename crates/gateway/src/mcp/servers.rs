//! The servers behind one address, each under a name of its own.

use std::collections::BTreeMap;

use crate::upstream::Upstream;

/// The servers, by name: `/mcp/NAME` leads to each.
pub type McpServers = BTreeMap<String, McpServer>;

/// A server, and how to reach it.
#[derive(Clone, Debug)]
pub enum McpServer {
    /// It listens there.
    Remote(Upstream),
    /// It is started for each session, and speaks over its input and output.
    Started(StartedServer),
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

//! Between an agent and its tools: the Model Context Protocol, relayed.
//!
//! Everything passes as it came but the results of tools, and the list of tools, which has one more: the one by which a
//! model asks for what was left out. The client keeps what it gets here, so originals are kept before a shorter text goes on.

mod client_session;
mod framing;
mod handler;
mod http_server;
mod originals;
mod pending;
mod process;
mod relay;
mod servers;
mod sessions;
mod stdio_bridge;
mod stdio_server;
mod stream;

pub use client_session::McpClientSession;
pub use handler::{McpWork, serve_mcp};
pub use originals::Originals;
pub use relay::{Pipe, relay};
pub use servers::{ListeningServer, McpServer, McpServers, StartedServer};

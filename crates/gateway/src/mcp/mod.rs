//! The MCP relay between an agent and its tools.
//!
//! Everything is forwarded unchanged except the results of tools and the list of tools. We add one tool to the list,
//! with which a model can ask for omitted text. A client keeps the shortened texts in its history, so the originals are
//! stored before a shortened text is sent.

mod client_session;
mod framing;
mod handler;
mod http_server;
mod originals;
mod path_lookup;
mod pending;
mod process;
mod relay;
mod servers;
mod sessions;
mod stdio_bridge;
mod stdio_server;
mod steady;
mod stream;

pub use client_session::McpClientSession;
pub use handler::{McpWork, serve_mcp};
pub use originals::Originals;
pub use path_lookup::find_program;
pub use relay::{Pipe, relay};
pub use servers::{ListeningServer, McpServer, McpServers, StartedServer};
pub use steady::{RestartSwitch, SteadyPipe, SteadyProcess, steady};

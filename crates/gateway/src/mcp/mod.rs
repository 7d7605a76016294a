//! Between an agent and its tools: the Model Context Protocol, relayed.
//!
//! Everything passes as it came but the results of tools, and the list of tools, which has one more: the one by which a
//! model asks for what was left out. The client keeps what it gets here, so originals are kept before a shorter text goes on.

mod carried;
mod door;
mod front;
mod lines;
mod originals;
mod process;
mod relay;
mod remote;
mod servers;
mod sessions;
mod spawned;
mod stream;
mod talk;

pub use door::McpDoor;
pub use front::{McpWork, serve_mcp};
pub use originals::Originals;
pub use relay::{Pipe, relay};
pub use servers::{ListeningServer, McpServer, McpServers, StartedServer};

//! Finds tool results in the messages of the Model Context Protocol, and forwards every other byte.
//!
//! Pure, like the rest of this crate: a [`McpSession`] sees the messages of both sides in order, and decides what to
//! do with each message. Unknown messages are forwarded, so methods of any revision of the protocol work.

mod answer;
mod events;
mod list;
mod message;
mod repeat;
mod server_memory;
mod session;

pub use answer::ToolAnswer;
pub use events::{McpEvent, McpEvents};
pub use list::{ListChanges, StructuredCopies, ToolListing};
pub use message::{RpcId, RpcKind, rpc_kind};
pub use server_memory::ServerMemory;
pub use session::{ExpectedAnswer, FromClient, FromServer, McpSession, OwnCall, ToolKnowledge};

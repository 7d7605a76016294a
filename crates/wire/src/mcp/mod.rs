//! Finds tool results in the messages of the Model Context Protocol, and passes every other byte on.
//!
//! Pure, like the rest of this crate: a [`McpSession`] sees the messages of both sides in order, and returns what to
//! do with each. Unknown messages pass, so methods of any revision work.

mod answer;
mod events;
mod list;
mod message;
mod repeat;
mod session;

pub use answer::ToolAnswer;
pub use events::{McpEvent, McpEvents};
pub use list::{ListChanges, StructuredCopies, ToolListing};
pub use message::{RpcId, RpcKind, rpc_kind};
pub use session::{ExpectedAnswer, FromClient, FromServer, McpSession, OwnCall, ToolKnowledge};

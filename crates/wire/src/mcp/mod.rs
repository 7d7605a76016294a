//! Finds the results of tools in the messages of the Model Context Protocol, and passes every other byte on.
//!
//! Pure, as the rest of this crate: a [`McpSession`] is shown the messages of both sides in their order and says what
//! each is to us. Whatever it does not know is none of our business, so methods of any revision pass.

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

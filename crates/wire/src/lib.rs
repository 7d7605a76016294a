//! Finds tool results in a provider's bytes and puts text back without touching the rest.
//!
//! Pure: no clock, files, environment or randomness; what goes in decides what comes out. A body is read once,
//! from front to back, and never written anew: a [`Slot`] is a place in it, and [`splice`] copies everything else.

mod alone;
mod anthropic;
mod blocks;
pub mod bridge;
mod call;
mod chat;
mod command;
mod content;
mod converse;
mod drops;
mod error;
mod gemini;
mod guess;
mod head;
pub mod hidden;
mod history;
mod invoke;
mod json;
mod mask;
pub mod mcp;
mod model;
mod ollama;
mod prompt;
mod provider;
mod providers;
mod responses;
pub mod rewrite;
mod schema;
mod slot;
mod spoken;
pub mod usage;

pub use alone::{LoneMessages, check_json, count_messages, lone_provider};
pub use call::SlotCall;
pub use error::WireError;
pub use guess::guess_provider;
pub use head::RequestHead;
pub use history::HistoryPlace;
pub use json::member::{BodyMember, top_members};
pub use json::splice::{Splice, splice};
pub use mask::{MaskedBody, TextMask, mask_body};
pub use model::named_model;
pub use prompt::UserPrompt;
pub use provider::Provider;
pub use providers::{PROVIDERS, claimed_provider};
pub use schema::ToolDescription;
pub use slot::Slot;

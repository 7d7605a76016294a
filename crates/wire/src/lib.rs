//! Finds tool results in a provider's bytes and puts text back without touching the rest.
//!
//! Pure: no clock, files, environment or randomness; what goes in decides what comes out. A body is read once,
//! from front to back, and never written anew: a [`Slot`] is a place in it, and [`splice`] copies everything else.

mod anthropic;
mod call;
mod chat;
mod command;
mod content;
mod drops;
mod error;
mod gemini;
mod guess;
pub mod hidden;
mod history;
mod json;
mod mask;
mod ollama;
mod prompt;
mod provider;
mod providers;
mod responses;
pub mod rewrite;
mod schema;
mod slot;

pub use call::Call;
pub use error::WireError;
pub use guess::guess;
pub use history::History;
pub use json::member::{Member, members};
pub use json::splice::{Edit, splice};
pub use mask::{Mask, Masked, mask};
pub use prompt::Prompt;
pub use provider::Provider;
pub use providers::{PROVIDERS, claimed};
pub use schema::Description;
pub use slot::Slot;

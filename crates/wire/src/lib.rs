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
mod mask;
mod member;
mod ollama;
pub mod prompt;
mod provider;
mod responses;
mod scan;
pub mod schema;
mod slot;
mod splice;
mod text;

pub use call::Call;
pub use error::WireError;
pub use guess::guess;
pub use mask::{Mask, Masked, mask};
pub use member::{Member, members};
pub use prompt::Prompt;
pub use provider::{History, PROVIDERS, Provider, claimed};
pub use schema::Description;
pub use slot::Slot;
pub use splice::{Edit, splice};

//! Finds tool results in a provider's bytes and puts text back without touching the rest.
//!
//! This crate is pure: it uses no clock, files, environment or randomness, and its output depends on its input alone.
//! A body is scanned from front to back and never serialised again: a [`Slot`] is a range of its bytes, and
//! [`splice`] copies every other byte.

mod anthropic;
pub(crate) mod bare_messages;
mod blocks;
pub mod bridge;
mod chat;
mod converse;
mod gemini;
pub(crate) mod guess;
pub mod hidden;
pub mod hook;
mod invoke;
mod mask;
pub mod mcp;
mod ollama;
mod prompt;
mod protocol;
mod provider;
mod providers;
mod request;
mod responses;
pub mod rewrite;
pub mod usage;

pub use bare_messages::{LoneMessages, check_json, count_messages, lone_provider};
pub use guess::guess_provider;
pub use mask::{MaskedBody, TextMask, mask_body};
pub use prompt::{CacheTtl, PromptContext, cache_ttl, prompt_marks, rewritten_marks};
pub use provider::Provider;
pub use providers::{PROVIDERS, claimed_provider};
pub use request::call::SlotCall;
pub use request::findings::SpokenMessage;
pub use request::history::HistoryPlace;
pub use request::model::early_model;
pub use request::prompt::UserPrompt;
pub use request::reading::Reading;
pub use request::schema::ToolDescription;
pub use request::slot::Slot;
pub use request::tools::RequestHead;
pub use tersely_json::JsonError as WireError;
pub use tersely_json::{
    BodyMember, Insertion, Splice, in_order, patch, replacement, splice, string, top_members,
};

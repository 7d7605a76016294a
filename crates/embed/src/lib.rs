//! Tersely inside a program: messages, requests and texts in; smaller ones and an account of the change out.
//!
//! The Python and Node packages wrap this crate, and the program serves it to them where they have no native part. It
//! reads no settings: what it returns depends on its arguments alone. Two things are remembered, both bounded: what was
//! omitted from conversations that a provider stores, and the latest conversations, which saves time and changes no byte.

mod call;
mod decoded;
mod error;
mod exchange;
mod library;
mod messages;
mod options;
mod reply;
mod request;
mod serve;
mod shelf;
mod text;

pub use call::OPERATIONS;
pub use error::EmbedError;
pub use exchange::{Exchange, NextStep};
pub use library::Library;
pub use reply::CallReply;
pub use serve::serve;

//! Turns what happened to requests into numbers that people can read.
//!
//! No type here can hold a word of a request: only numbers, words of ours, and the names of models, which are short and
//! plain or not told at all. Whoever records something never waits for it to be written.

mod access;
mod event;
mod journal;
pub mod log;
mod metrics;
mod shown;
mod telemetry;

pub use event::{RequestEnd, RequestEvent, TokenChange, Verb};
pub use journal::{JournalFile, JournalSettings};
pub use shown::ShownName;
pub use telemetry::Telemetry;

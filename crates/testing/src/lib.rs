//! What the tests of several crates share: texts, made-up documents, servers.
//!
//! No product crate depends on it but for its tests.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    reason = "a test fails loudly, its helpers too"
)]

pub mod corpus;
pub mod fuzz;
pub mod generate;
mod invent;
mod mutate;
mod mutate_text;
pub mod prometheus;
pub mod reader;
pub mod run;
pub mod secrets;
pub mod seeds;
pub mod stream;
pub mod valkey;

pub use invent::invent;
pub use mutate::mutate;
pub use mutate_text::mutate_text;

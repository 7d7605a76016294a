//! Test support that several crates share: corpora, generated documents, fuzz targets, servers.
//!
//! Product crates depend on it only for their tests.

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
pub mod pace;
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

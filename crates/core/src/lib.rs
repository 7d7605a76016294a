//! A tool result in; a smaller one and an account of the change out.
//!
//! Pure: no clock, files, environment or randomness; what goes in decides what comes out.

pub mod auto;
pub mod tokens;

pub use tokens::{O200k, Tokens};

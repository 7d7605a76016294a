//! One body through: slots, compress, splice, record.

mod settings;

pub use settings::{Change, Policy, Prompts, Rule, Schema, Settings};

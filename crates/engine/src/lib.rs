//! One body through: slots, compress, splice, record.

mod asked;
mod beside;
mod engine;
mod object;
mod refused;
mod report;
mod scope;
mod settings;
mod skip;

pub use asked::{Asked, Session};
pub use engine::{Engine, Passed, Request};
pub use refused::Refused;
pub use report::{Report, Saving};
pub use settings::{Change, Policy, Prompts, Rule, Schema, Settings};

//! Measures on a corpus how many tokens families of tool results, forms and whole conversations cost.

mod args;
mod clear;
mod conversations;
mod corpus;
mod files;
mod forms;
mod recall;

pub use args::{BenchArgs, run};
pub use conversations::quote::{Quotes, quotes};
pub use recall::facts::{CallFact, FactKind};
pub use recall::score::{RecallScore, SeenBody, recall};

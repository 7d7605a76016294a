//! A corpus in, measurements out: what families of tool results, forms and whole conversations cost.

mod args;
mod conversations;
mod corpus;
mod files;
mod forms;

pub use args::{BenchArgs, run};
pub use conversations::quote::{Quotes, quotes};

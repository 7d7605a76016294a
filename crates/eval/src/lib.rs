//! Asks a model questions about tool results, compressed and uncompressed, and compares how often its answers are
//! right.

mod api;
mod args;
mod arm;
mod ask;
mod json;
mod log;
mod mcnemar;
mod page;
mod place;
mod run;
mod score;
mod set;
mod spend;
mod tally;
mod text;
mod words;

pub use args::EvalArgs;
pub use run::run;

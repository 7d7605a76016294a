//! Hashes the parts of a prompt in the order in which a provider's cache sees them.

mod digest;
mod lines;
mod marks;
mod settings;

pub use marks::{PromptContext, prompt_marks};

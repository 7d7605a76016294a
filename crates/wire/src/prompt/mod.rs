//! Hashes the parts of a prompt in the order in which a provider's cache sees them.

mod context;
mod digest;
mod lifetime;
mod lines;
mod marks;
mod rewritten;
mod settings;

pub use context::PromptContext;
pub use lifetime::stated_lifetime;
pub use marks::prompt_marks;
pub use rewritten::rewritten_marks;

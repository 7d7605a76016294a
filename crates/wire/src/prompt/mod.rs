//! Hashes the parts of a prompt in the order in which a provider's cache sees them.

mod context;
mod digest;
mod lines;
mod marks;
mod rewritten;
mod settings;
mod ttl;

pub use context::PromptContext;
pub use marks::prompt_marks;
pub use rewritten::rewritten_marks;
pub use ttl::{CacheTtl, cache_ttl};

//! Answers the hooks of clients: compresses a tool's result before the model sees it.
//!
//! A hook runs once for each tool call, and its client waits. Most of a short run is the start, so a resident process
//! answers over a socket; where there is none, the hook answers by itself. Whatever goes wrong, the answer is empty,
//! and the client goes on with the result as the tool gave it.

mod answerer;
mod kept_texts;
#[cfg(unix)]
mod resident;

pub use answerer::{Answered, HookAnswerer, MAX_INPUT_BYTES};
pub use kept_texts::KeptTexts;
#[cfg(unix)]
pub use resident::{ResidentPlace, ask, serve};

//! Reads the provider's token counts from responses as they pass.
//!
//! A [`UsageReader`] takes a response in pieces and keeps almost nothing of it; what it cannot understand counts
//! nothing.

mod reader;
mod scan;
pub(crate) mod words;

pub use reader::UsageReader;
pub use words::UsageWords;

//! What a provider counted, read from its answers as they pass by.
//!
//! A [`UsageReader`] is fed an answer as it comes and holds next to nothing of it, whatever comes: what it cannot
//! understand counts nothing.

mod reader;
mod scan;
pub(crate) mod words;

pub use reader::UsageReader;
pub use words::UsageWords;

//! Reads the provider's token counts from responses as they pass through.
//!
//! A [`UsageReader`] takes a response in pieces and stores almost nothing of it. Data that it cannot understand adds
//! no counts.

pub(crate) mod diagnosis;
mod reader;
mod scan;
pub(crate) mod words;

pub use diagnosis::{DIAGNOSES, cache_diagnosis};
pub use reader::UsageReader;
pub use words::UsageWords;

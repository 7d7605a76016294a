//! Remote compressors, which are asked to shorten new results before a request is rewritten.

mod agreement;
mod call;
mod consult;
mod pace;
mod prompt;
mod settings;
mod shape;

pub use consult::Compressor;
pub(crate) use consult::Consultation;
pub use settings::{CompressorSettings, CompressorShape};

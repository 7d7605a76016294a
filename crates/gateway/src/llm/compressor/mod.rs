//! Compressors elsewhere: asked about what is new in a request, before it is rewritten.

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

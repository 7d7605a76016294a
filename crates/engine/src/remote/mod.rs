//! External compressors: which results they may be asked about, and the answers that apply.

pub(crate) mod answers;
pub(crate) mod strategy;

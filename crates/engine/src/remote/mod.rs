//! External compressors: which results may be sent to them, and how their answers are used.

pub(crate) mod answers;
pub(crate) mod strategy;

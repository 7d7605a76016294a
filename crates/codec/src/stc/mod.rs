//! STC v1: JSON with bare keys, counted lists and counted tables (`spec/stc.md`).

mod decode;
mod encode;

pub use decode::decode;
pub use encode::{StcLayout, encode, encode_as};

//! TOON, implemented with the crate of the format's owners; this crate checks that the value is unchanged.
//!
//! The format changes quickly, so only the owners' crate is sure to match what others call TOON.

mod decode;
mod encode;

pub use decode::decode;
pub use encode::encode;

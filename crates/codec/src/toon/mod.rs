//! TOON, by the crate of the format's owners, held to this crate's idea of equal.
//!
//! The format moves faster than we would; following its owners is the only way to stay what others call TOON.

mod decode;
mod encode;

pub use decode::decode;
pub use encode::encode;

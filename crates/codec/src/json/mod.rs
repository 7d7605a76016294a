//! JSON itself: read with nothing lost, written without white space.

mod decode;
mod encode;

pub use decode::decode;
pub use encode::encode;
pub(crate) use encode::{push_scalar, push_string};

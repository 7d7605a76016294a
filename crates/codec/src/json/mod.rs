//! JSON itself: it is decoded without loss, and encoded without white space or in its original layout.

mod decode;
mod encode;
mod layout;

pub use decode::{decode, decode_first};
pub use encode::encode;
pub(crate) use encode::{EscapeSpelling, push_flat, push_scalar, push_string};
pub use layout::Layout;

//! JSON values as dense text, and back, exactly.
//!
//! This crate is pure: it uses no clock, files, environment or randomness, and its output depends on its input alone.
//! A [`Value`] keeps the details that other trees lose: the order of members, duplicate keys, and the text of every
//! number. Every [`Form`] either represents all of these details or refuses the value.

mod error;
mod form;
pub mod json;
mod scan;
pub mod stc;
pub mod terse;
mod text;
pub mod toon;
mod value;

pub use error::DecodeError;
pub use form::{Form, decode, detect, encode};
pub use text::Text;
pub use value::{MAX_DEPTH, Value};

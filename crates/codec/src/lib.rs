//! JSON values as dense text, and back, exactly.
//!
//! Pure: no clock, files, environment or randomness; the output depends on the input alone. A [`Value`] keeps what
//! other trees lose (member order, duplicate keys, the text of every number), and every [`Form`] either holds all of
//! that or declines.

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

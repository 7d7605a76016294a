//! Reads and edits JSON text in place: strings, numbers, values and where they are.
//!
//! This crate is pure: it uses no clock, files, environment or randomness, and its output depends on its input alone.
//! It neither builds a tree nor parses a whole document: callers ask for positions in a text, and every other byte is
//! copied.

mod error;
mod escape;
pub mod list;
mod member;
mod node;
mod number;
mod patch;
mod scan;
mod splice;
pub mod string;

pub use error::JsonError;
pub use escape::{
    is_escaped, join_surrogates, needs_escape, push_char, push_unit, unescape_char, unescape_unit,
};
pub use member::{BodyMember, top_members};
pub use node::JsonNode;
pub use number::number_length;
pub use patch::{BytePatch, Insertion, in_order, member_with_comma, patch};
pub use scan::{JsonScan, scan_all};
pub use splice::{Splice, replacement, splice};

//! The terse form: lists of records as rows under one header, with what is said once said once, in plain words.
//!
//! `spec/terse.md` defines it. The encoder proposes by a fixed estimate of weight, never by a tokenizer, so
//! that the same value gives the same bytes whoever counts.

mod bare;
mod decode;
mod encode;
mod flow;
mod path;
mod style;
mod template;
mod words;

pub use decode::decode;
pub use encode::encode;

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
pub use encode::{KeyPlace, draft, draft_as, encode, encode_as};

/// True when a text that reads as the terse form shows something that other notations do not have: a record in
/// braces, or the count above a list.
pub(crate) fn shows_list(text: &str) -> bool {
    let is_intro = |line: &str| {
        let words = line.rsplit_once(": ").map_or(line, |(_, words)| words);
        style::ListStyle::intro(words).is_some()
    };
    text.starts_with(['{', '[']) || text.lines().any(is_intro)
}

//! The terse form: lists of records are rows under one header, and shared values are stated once, in plain words.
//!
//! `spec/terse.md` defines this form. The encoder uses a fixed estimate of a text's weight and never a tokenizer, so
//! the same value always gives the same bytes.

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

/// True when a text in the terse form has a feature that other notations lack: it starts with `{` or `[`, or has a
/// count above a list.
pub(crate) fn shows_list(text: &str) -> bool {
    let is_intro = |line: &str| {
        let words = line.rsplit_once(": ").map_or(line, |(_, words)| words);
        style::ListStyle::intro(words).is_some()
    };
    text.starts_with(['{', '[']) || text.lines().any(is_intro)
}

//! Recognisers: what a line or a text is, for those who write it shorter and those who cut it.

pub(crate) mod entry;
pub(crate) mod event;
pub(crate) mod hit;
pub(crate) mod json;
pub(crate) mod node;
pub(crate) mod source;
pub(crate) mod table;

//! Recognises and parses lines and texts, for both forms and cuts.

pub(crate) mod entry;
pub(crate) mod event;
pub(crate) mod hit;
pub(crate) mod json;
pub(crate) mod node;
pub(crate) mod source;
pub(crate) mod table;

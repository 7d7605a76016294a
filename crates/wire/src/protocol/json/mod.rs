//! Finds, reads and changes places in JSON texts. Nothing else in this crate edits bytes.

pub(crate) mod list;
pub(crate) mod member;
pub(crate) mod node;
pub(crate) mod patch;
pub(crate) mod scan;
pub(crate) mod splice;
pub(crate) mod text;

//! JSON in the terse form: one document, one a line, or among other lines.

mod cut;
mod document;
pub(crate) mod keys;
mod lines;
mod parts;
mod split;
mod worth;

pub(crate) use self::cut::JsonCut;
pub(crate) use self::document::Json;
pub(crate) use self::lines::JsonLines;
pub(crate) use self::parts::JsonParts;
pub(crate) use self::split::JsonSplit;

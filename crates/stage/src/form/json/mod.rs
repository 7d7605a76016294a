//! JSON in the terse form: one document, one per line, or among other lines.

mod document;
pub(crate) mod keys;
mod parts;
mod worth;

pub(crate) use self::document::Json;
pub(crate) use self::parts::JsonParts;

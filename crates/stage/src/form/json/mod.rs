//! Writes JSON in the terse form: a single document, one document per line, or documents among other lines.

mod document;
pub(crate) mod keys;
mod parts;
mod worth;

pub(crate) use self::document::Json;
pub(crate) use self::parts::JsonParts;

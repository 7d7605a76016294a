//! The API listener: JSON in the form that a client requests, and everything else unchanged.

mod etag;
mod form;
mod handler;
mod negotiate;

pub use handler::serve_api;
pub(crate) use negotiate::{FormatPreference, strip};

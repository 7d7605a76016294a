//! The API listener: returns JSON responses in the form that a client requests, and all others unchanged.

mod etag;
mod form;
mod handler;
mod negotiate;

pub use handler::serve_api;
pub(crate) use negotiate::{FormatPreference, strip};

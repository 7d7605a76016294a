//! The door for JSON APIs: answers in the form that a client asks for, and everything else as it came.

mod etag;
mod form;
mod handler;
mod negotiate;

pub use handler::serve_api;
pub(crate) use negotiate::{FormatPreference, strip};

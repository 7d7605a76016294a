//! The door for JSON APIs: answers in the form that a client asks for, and everything else as it came.

mod door;
mod etag;
mod form;
mod wish;

pub use door::serve_api;
pub(crate) use wish::{FormatWish, strip};

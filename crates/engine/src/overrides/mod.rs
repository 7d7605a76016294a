//! Overrides of the settings for one request: by rules, and by the request's own headers and body object.

pub(crate) mod body_object;
pub(crate) mod change;
pub(crate) mod error;
pub(crate) mod field;
pub(crate) mod place;
pub(crate) mod request_options;
pub(crate) mod schema_mode;
pub(crate) mod value;
